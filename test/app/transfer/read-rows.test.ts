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
    const names = ['=1+1', '@x', '  a  ', "'b'", '\ufeffc', 'd"e', '7"" x', 'null', 'a\tb', 'a\u2028b', '#'];
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
      ['"a"b,1,', 'a quote is misplaced or not closed'],
      [Buffer.from('Zo\xeb,1,', 'latin1'), 'the row is not valid UTF-8'],
      [
        Buffer.from('a\0,1,'),
        'name must be a string of at most 65536 bytes of UTF-8, without U+0000 and lone surrogates',
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
        'name must be a string of at most 65536 bytes of UTF-8, without U+0000 and lone surrogates',
      ],
      ['{"name":"a","categoryId":1} {}', 'invalid JSON'],
      ['   ', 'invalid JSON'],
      [Buffer.from('{"name":"\xeb","categoryId":1}', 'latin1'), 'invalid JSON: not valid UTF-8'],
    ];
    for (const [row, reason] of wrong) {
      const rows = await read('ndjson', row, '\n{"name":"b","categoryId":1}');
      expect(rows[0]?.[1]).to.include(reason);
      expect(rows[1]).to.deep.equal([2, '"b"']);
    }
  });

  it('are rejected above 8 MB, to the byte, with either line end', async () => {
    const fitting = [...Array.from({ length: 7 }, () => million), million.slice(3)];
    for (const lineEnd of ['\n', '\r\n']) {
      expect(
        await readCsv('a,1,\n', ...fitting, ',1,', lineEnd, ...fitting, ',11,', lineEnd, 'b,1,\n'),
      ).to.deep.equal([
        [2, '"a"'],
        [3, 'name must be a string of at most 65536 bytes of UTF-8, without U+0000 and lone surrogates'],
        [4, 'the row is longer than 8000000 bytes'],
        [5, '"b"'],
      ]);
    }
    const row = (spaces: number) => `{"name":"a","categoryId":1}${' '.repeat(spaces)}\n`;
    expect(await read('ndjson', row(7_999_973), row(7_999_974), row(0))).to.deep.equal([
      [1, '"a"'],
      [2, 'the row is longer than 8000000 bytes'],
      [3, '"a"'],
    ]);
  });

  it('end at a quote that takes in the following lines', async () => {
    for (const [rows, reason] of [
      ['a,1,\n"b,1,\nc,1,\nd,1,\n', 'line 3: the quote that opens here is not closed'],
      ['a,1,\n"b,1,', 'line 3: the quote that opens here is not closed'],
      ['"a\nb","c,1,\nd,1,\n', 'line 3: the quote that opens here is not closed'],
      ['a,1,\n"b,1,\nc,1,\n"d",1,\n', 'line 3: a quote in this row is not closed, or closed too early'],
      [`"b,1,\n${'c,1,\n'.repeat(1_700_000)}`, 'line 2: the quote that opens here is not closed'],
    ] as const) {
      expect(await readCsv(rows).then(String, String)).to.equal(`Error: ${reason}`);
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

  it('end at a carriage return without a line feed, unless it is in quotes', async () => {
    const failure = (line: number) =>
      `Error: line ${line}: a carriage return outside quotes must be followed by a line feed; convert the line ends to LF or CRLF`;
    for (const [text, line] of [
      ['name,categoryId,status,id\rRex,7,available,1\rTom,8,sold,2\r', 1],
      ['"name","categoryId"\r"Rex","7"\r', 1],
      ['name,categoryId\r\n"Rex\r\n",7\rTom,8\r\n', 3],
      ['name,categoryId\nRex\r,7\n', 2],
      ['name,categoryId\r\r\nRex,7\r\r\n', 1],
    ] as const) {
      expect(await read('csv', text).then(String, String)).to.equal(failure(line));
      const byteByByte = Array.from(text);
      expect(await read('csv', ...byteByByte).then(String, String)).to.equal(failure(line));
    }
    expect(await read('csv', 'name,categoryId\r\n"a\rb\r",1\r\n"c",2\r')).to.deep.equal([
      [2, '"a\\rb\\r"'],
      [3, '"c"'],
    ]);
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
