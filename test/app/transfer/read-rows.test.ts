import { expect } from 'chai';
import type { Format } from '../../../app/transfer/formats';
import { readRows } from '../../../app/transfer/formats';
import { sourceOf } from '../../contracts/source-of';

const int64 = 'an integer from -9223372036854775808 to 9223372036854775807';

/** Returns the line number of each row, and its name or its error. */
const read = async (format: Format, ...chunks: ReadonlyArray<string | Buffer>) => {
  const rows: Array<readonly [number, string]> = [];
  for await (const { line, newPet } of readRows(
    format,
    sourceOf(chunks.map((chunk) => Buffer.from(chunk))),
  )) {
    rows.push([line, newPet._tag === 'Right' ? JSON.stringify(newPet.right.name) : newPet.left]);
  }
  return rows;
};

const readCsv = (...chunks: ReadonlyArray<string | Buffer>) =>
  read('csv', 'name,categoryId,status\r\n', ...chunks);

const million = 'x'.repeat(1_000_000);

describe('Rows of a file', () => {
  it('have the number of their first line', async () => {
    expect(await readCsv('\r\n"a\r\nb\n\nc",1,\r\n\n"d\ne",1,sold\nf,1,\r\n')).to.deep.equal([
      [3, '"a\\r\\nb\\n\\nc"'],
      [8, '"d\\ne"'],
      [10, '"f"'],
    ]);
  });

  it('keep texts that CSV programs treat as special', async () => {
    const names = ['=1+1', '@x', '  a  ', "'b'", '\ufeffc', 'null', 'a\tb', 'a\u2028b', '#'];
    expect(await readCsv(...names.map((name) => `${name},1,\n`))).to.deep.equal(
      names.map((name, index) => [index + 2, JSON.stringify(name)]),
    );
  });

  it('are rejected one by one in CSV', async () => {
    const wrong: ReadonlyArray<readonly [string | Buffer, string]> = [
      ['a,1', 'the row has 2 fields, but the header has 3'],
      [
        'a,1,,',
        'the row has 4 fields, but the header has 3; put double quotes around a value that contains a comma',
      ],
      ['a', 'the row has 1 field, but the header has 3'],
      ['a,,', `categoryId must be ${int64}`],
      ['a,9223372036854775808,', `categoryId must be ${int64}`],
      ['a,1e3,', `categoryId must be ${int64}`],
      ['a, 1,', `categoryId must be ${int64}`],
      ['a,1,Sold', 'status must be one of available, pending, sold'],
      [
        Buffer.from('a\0,1,'),
        'name must be a string of at most 1000 characters, without U+0000 and lone surrogates',
      ],
    ];
    for (const [row, reason] of wrong) {
      expect(await readCsv(row, '\r\nb,1,\r\n')).to.deep.equal([
        [2, reason],
        [3, '"b"'],
      ]);
    }
  });

  it('are as strict as the body of a create in NDJSON', async () => {
    const wrong: ReadonlyArray<readonly [string | Buffer, string]> = [
      ['{"name":"a","name":"a","categoryId":1}', 'duplicate key in object'],
      ['{"name":"a","categoryId":"1"}', `categoryId must be ${int64}`],
      ['{"name":"a","categoryId":9223372036854775808}', `categoryId must be ${int64}`],
      ['{"name":"a","categoryId":1,"status":null}', 'status must be one of available, pending, sold'],
      [
        '{"name":"\\ud800","categoryId":1}',
        'name must be a string of at most 1000 characters, without U+0000 and lone surrogates',
      ],
      ['{"name":"a","categoryId":1} {}', 'invalid JSON'],
    ];
    for (const [row, reason] of wrong) {
      const rows = await read('ndjson', row, '\n{"name":"b","categoryId":1}');
      expect(rows[0]?.[1]).to.include(reason);
      expect(rows[1]).to.deep.equal([2, '"b"']);
    }
  });

  it('end at a misplaced quote, with the line on which its row begins', async () => {
    for (const [rows, line] of [
      ['a,1,\nd"e,1,\n', 3],
      ['a,1,\n"a"b,1,\n', 3],
      ['a,1,\n"b,1,\nc,1,\nd,1,\n', 3],
      ['"a\r\nb\r\n\r\n",1,\r\n\r\n"b,1,', 7],
      ['"a\nb","c,1,\nd,1,\n', 2],
      ['a,1,\n"b,1,\nc,1,\n"d",1,\n', 3],
      ['a,1,\n'.repeat(20_000) + '"b,1,', 20_002],
    ] as const) {
      expect(await readCsv(rows).then(String, String)).to.match(
        new RegExp(`^Error: line ${line}: a quote in the row that begins here is misplaced or not closed`),
      );
    }
  });

  it('end at a row of more than a million characters, as an unclosed quote makes it', async () => {
    const chunks = Array.from({ length: 20 }, () => 'c,1,\n'.repeat(20_000));
    expect(await readCsv('a,1,\n"b,1,\n', ...chunks).then(String, String)).to.equal(
      'Error: line 3: the row that begins here is longer than 1000000 characters, or has a quote that is not closed',
    );
    expect(await read('ndjson', '{}\n{', million, million).then(String, String)).to.equal(
      'Error: line 2: the row is longer than 1000000 characters',
    );
  });

  it('end at a line that is not UTF-8', async () => {
    const latin1 = Buffer.from('a,1,\nb,1,\nZo\xeb,1,\n', 'latin1');
    for (const chunks of [[latin1], Array.from(latin1, (byte) => Buffer.from([byte]))]) {
      expect(await readCsv(...chunks).then(String, String)).to.equal(
        'Error: line 4: the text is not UTF-8; save the file as UTF-8',
      );
    }
    const cut = Buffer.from('{"name":"Zoë').subarray(0, -1);
    expect(await read('ndjson', '\n', cut).then(String, String)).to.equal(
      'Error: line 2: the text is not UTF-8; save the file as UTF-8',
    );
  });

  it('of UTF-16 are refused by that name', async () => {
    for (const format of ['csv', 'ndjson'] as const) {
      const text = Buffer.from('name,categoryId\na,1\n', 'utf16le');
      const withMark = Buffer.from('\ufeffname,categoryId\n', 'utf16le');
      for (const chunk of [text, withMark, Buffer.from(text).swap16(), Buffer.from(withMark).swap16()]) {
        expect(await read(format, chunk).then(String, String)).to.equal(
          'Error: the file is UTF-16; save it as UTF-8',
        );
      }
    }
  });

  it('of CSV with another separator are refused by its name', async () => {
    for (const [header, reason] of [
      ['name;categoryId;status', 'the columns are separated by semicolons; separate them by commas'],
      ['"name";"categoryId"', 'the columns are separated by semicolons; separate them by commas'],
      ['name\tcategoryId', 'the columns are separated by tabs; separate them by commas'],
      [
        'sep=;\nname;categoryId',
        '`sep=` is not supported; delete the line, and separate the columns by commas',
      ],
      [
        '\ufeff"sep=,"\nname,id',
        '`sep=` is not supported; delete the line, and separate the columns by commas',
      ],
    ] as const) {
      expect(await read('csv', `${header}\r\na;1\r\n`).then(String, String)).to.equal(
        `Error: line 1: ${reason}`,
      );
    }
  });

  it('need a valid header in CSV', async () => {
    for (const header of [
      '',
      '\n',
      'name\n',
      'Name,categoryId\n',
      'name,categoryId,name\n',
      '"name,categoryId\n',
    ]) {
      const failure = await read('csv', header, 'a,1\n').then(String, String);
      expect(failure, header).to.match(/^Error: line [12]: /);
    }
    expect(await read('csv', 'categoryId,name\n1,a\n')).to.deep.equal([[2, '"a"']]);
  });

  it('may end with LF, CRLF or CR, each of which a quoted name may contain', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `name,categoryId${end}"a\rb\r\n",1${end}${end}c,2`;
      for (const chunks of [[text], Array.from(text)]) {
        expect(await read('csv', ...chunks)).to.deep.equal([
          [2, '"a\\rb\\r\\n"'],
          [6, '"c"'],
        ]);
      }
    }
  });

  it('need a header that spells the known columns exactly', async () => {
    for (const [header, column, meant] of [
      ['name,categoryId, status', ' status', 'status'],
      ['name,categoryId,Status', 'Status', 'status'],
      ['name,categoryId,"status\t"', 'status\\t', 'status'],
      ['Name,categoryId', 'Name', 'name'],
      ['name,CategoryID,status', 'CategoryID', 'categoryId'],
    ] as const) {
      const failure = await read('csv', `${header}\na,1,sold\n`).then(String, String);
      expect(failure).to.equal(`Error: line 1: unknown column "${column}"; did you mean ${meant}?`);
    }
    expect(await read('csv', 'name,categoryId,id,ID,statuses,,Name\na,1,2,3,4,5,6\n')).to.deep.equal([
      [2, '"a"'],
    ]);
  });

  it('may follow a byte order mark', async () => {
    expect(await read('csv', '\ufeffname,categoryId\na,1\n')).to.deep.equal([[2, '"a"']]);
    const quoted = '\ufeff"name","cat\r\negory",categoryId\r\n"a","x\ny",1\r\n';
    expect(await read('csv', quoted)).to.deep.equal([[3, '"a"']]);
    const byteByByte = [...Buffer.from(quoted)].map((byte) => Buffer.from([byte]));
    expect(await read('csv', ...byteByByte)).to.deep.equal([[3, '"a"']]);
    const json = '{"name":"a","categoryId":1}';
    expect(await read('ndjson', `\ufeff${json}\n`, json)).to.deep.equal([
      [1, '"a"'],
      [2, '"a"'],
    ]);
  });
});
