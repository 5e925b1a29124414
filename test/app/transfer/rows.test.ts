import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decodeNewPet, invalidFieldTexts, type NewPet, newPetFieldNames, newPetRules } from '../../../core';
import type { Row } from '../../../app/transfer/rows';
import { type Format, readRows, writeRows } from '../../../app/transfer/formats';
import { type Pet } from '../../../core';
import { sourceOf } from '../../contracts/source-of';
import { petWithId } from '../../contracts/pet-repository/seeds';
import { anyNewPet } from '../../support/any-pet';
import { anyCharacter } from '../../support/random';

const int64 = 'an integer from -9223372036854775808 to 9223372036854775807';
const nameRule = 'name must be a string of at most 1000 characters, without U+0000 and lone surrogates';

/** Decodes a row as an import does. */
const newPetOf = ({ value }: Row): E.Either<string, NewPet> =>
  pipe(
    value,
    E.flatMap((values) =>
      pipe(
        decodeNewPet(values),
        E.bimap(
          ({ fields }) => invalidFieldTexts(fields, 'the row').join('; '),
          (checked) => checked.value,
        ),
      ),
    ),
  );

async function* rowsOf(parts: AsyncIterable<ReadonlyArray<Row>>): AsyncGenerator<Row> {
  for await (const rows of parts) yield* rows;
}

/** Returns the line number of each row with its name or its error, or else the error that ended the reading. */
const read = async (format: Format, ...chunks: ReadonlyArray<string | Buffer>) => {
  const rows: Array<readonly [number, string]> = [];
  try {
    for await (const row of rowsOf(readRows(format, sourceOf(chunks.map((chunk) => Buffer.from(chunk)))))) {
      const newPet = newPetOf(row);
      rows.push([row.line, E.isRight(newPet) ? JSON.stringify(newPet.right.name) : newPet.left]);
    }
    return rows;
  } catch (error) {
    return String(error);
  }
};

const readCsv = (...chunks: ReadonlyArray<string | Buffer>) =>
  read('csv', 'name,categoryId,status\r\n', ...chunks);

const bytesOf = (text: string): ReadonlyArray<Buffer> =>
  Array.from(Buffer.from(text), (byte) => Buffer.from([byte]));

describe('Rows of a file', () => {
  it('have the number of their first line', async () => {
    expect(await readCsv('\r\n"a\r\nb\n\nc",1,\r\n\n"d\ne",1,sold\nf,1,\r\n')).to.deep.equal([
      [3, '"a\\r\\nb\\n\\nc"'],
      [8, '"d\\ne"'],
      [10, '"f"'],
    ]);
  });

  it('begin after a byte order mark, also if it comes in several chunks', async () => {
    for (const format of ['csv', 'ndjson'] as const) {
      const text = format === 'csv' ? '\ufeffname,categoryId\na,1\n' : '\ufeff{"name":"a","categoryId":1}';
      expect(await read(format, ...bytesOf(text))).to.deep.equal([[format === 'csv' ? 2 : 1, '"a"']]);
    }
  });

  it('are rejected one by one', async () => {
    const wrongCsv: ReadonlyArray<readonly [string | Buffer, string]> = [
      ['a', '1 fields instead of 3; put a value that contains a comma in double quotes'],
      ['a,1,,', '4 fields instead of 3; put a value that contains a comma in double quotes'],
      ['a,,', `categoryId must be ${int64}`],
      ['a,9223372036854775808,', `categoryId must be ${int64}`],
      ['a,1e3,', `categoryId must be ${int64}`],
      ['a, 1,', `categoryId must be ${int64}`],
      ['a,1,Sold', 'status must be one of available, pending, sold'],
      ['a\0,1,', nameRule],
      [Buffer.from('Zo\xeb,1,', 'latin1'), 'the text is not UTF-8; save the file as UTF-8'],
    ];
    for (const [row, reason] of wrongCsv)
      expect(await readCsv(row, '\r\nb,1,\r\n')).to.deep.equal([
        [2, reason],
        [3, '"b"'],
      ]);

    const wrongJson: ReadonlyArray<readonly [string | Buffer, string]> = [
      ['{"name":"a","name":"a","categoryId":1}', 'invalid JSON: duplicate key in object'],
      ['{"name":"a","categoryId":"1"}', `categoryId must be ${int64}`],
      ['{"name":"a","categoryId":9223372036854775808}', `categoryId must be ${int64}`],
      ['{"name":"a","categoryId":1,"status":null}', 'status must be one of available, pending, sold'],
      ['{"name":"\\ud800","categoryId":1}', nameRule],
      ['{"name":"a","categoryId":1} {}', 'invalid JSON: unexpected character at position 28'],
      [Buffer.from('{"name":"Zo\xeb","categoryId":1}', 'latin1'), 'invalid JSON: not valid UTF-8'],
    ];
    for (const [row, reason] of wrongJson)
      expect(await read('ndjson', row, '\n{"name":"b","categoryId":1}')).to.deep.equal([
        [1, reason],
        [2, '"b"'],
      ]);
  });

  it('end at a misplaced quote, with the line on which its row begins', async () => {
    for (const [rows, line] of [
      ['a,1,\nd"e,1,\n', 3],
      ['a,1,\n"a"b,1,\n', 3],
      ['"a\r\nb\r\n\r\n",1,\r\n\r\n"b,1,', 7],
      ['a,1,\n"b,1,\nc,1,\n"d",1,\n', 3],
      ['a,1,\n'.repeat(20_000) + '"b,1,', 20_002],
    ] as const) {
      expect(await readCsv(rows)).to.match(
        new RegExp(`^Error: line ${line}: a quote in the row that begins here is misplaced or not closed`),
      );
    }
    const million = 'x'.repeat(1_000_000);
    expect(await readCsv(`a,1,\n${million}${million},1,\n`)).to.equal(
      'Error: line 3: the row is longer than 1000000 bytes',
    );
    expect(await readCsv(`a,1,\n"b,1,\n${'c,1,\n'.repeat(400_000)}`)).to.match(
      /^Error: line 3: the row that begins here is longer than 1000000 bytes, or a quote in it is not closed; /,
    );
    expect(await read('ndjson', '{}\n{', million, million)).to.equal(
      'Error: line 2: the row is longer than 1000000 bytes',
    );
  });

  it('of UTF-16 are refused by that name', async () => {
    for (const format of ['csv', 'ndjson'] as const) {
      const text = Buffer.from('name,categoryId\na,1\n', 'utf16le');
      const withMark = Buffer.from('\ufeffname,categoryId\n', 'utf16le');
      for (const chunk of [text, withMark, Buffer.from(text).swap16(), Buffer.from(withMark).swap16()])
        expect(await read(format, chunk)).to.equal('Error: the file is UTF-16; save it as UTF-8');
    }
  });

  it('need a header in CSV that spells the known columns exactly, each once, between commas', async () => {
    const optional = newPetFieldNames.filter((name) => !newPetRules[name].required).join(' and ');
    const columns = `the header must have the columns name and categoryId, and may have ${optional}, each only once and separated by commas`;
    for (const [header, reason] of [
      ['name;categoryId;status', 'the columns must be separated by commas, without ";"'],
      ['name\tcategoryId', 'the columns must be separated by commas, without "\\t"'],
      ['sep=;\nname;categoryId', 'the columns must be separated by commas, without "sep="'],
      ['\ufeff"sep=,"\nname,id', 'the columns must be separated by commas, without "sep="'],
      ['"name";"categoryId"', columns],
      ['"name,categoryId', columns],
      ['name', `${columns}, not "name"`],
      ['name,categoryId,name', `${columns}, not "name,categoryId,name"`],
      ['name,categoryId, status', 'unknown column " status"; did you mean status?'],
      ['name,categoryId,"status\t"', 'unknown column "status\\t"; did you mean status?'],
      ['name,categoryId,status\u00a0', 'unknown column "status\u00a0"; did you mean status?'],
      ['name,CategoryID,status', 'unknown column "CategoryID"; did you mean categoryId?'],
    ] as const)
      expect(await read('csv', `${header}\r\na;1\r\n`)).to.equal(`Error: line 1: ${reason}`);
    expect(await read('csv', '')).to.equal(`Error: line 1: ${columns}`);
    expect(await read('csv', 'categoryId,name,id,ID,statuses,,Name\n1,a,2,3,4,5,6\n')).to.deep.equal([
      [2, '"a"'],
    ]);
  });

  it('may end with LF, CRLF or CR, each of which a quoted name may contain', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `name,categoryId${end}"a\rb\r\n",1${end}${end}c,2`;
      for (const chunks of [[text], bytesOf(text)])
        expect(await read('csv', ...chunks)).to.deep.equal([
          [2, '"a\\rb\\r\\n"'],
          [6, '"c"'],
        ]);
    }
  });

  it('may follow a byte order mark', async () => {
    expect(await read('csv', '\ufeff"name",categoryId\n\ufeffa,1\n')).to.deep.equal([[2, '"\ufeffa"']]);
    expect(await read('ndjson', '\ufeff{"name":"a","categoryId":1}')).to.deep.equal([[1, '"a"']]);
  });
});

const special = fc.constantFrom(
  ...['"', '""', ',', '\r', '\n', '\r\n', '\ufeff', '=', '+', '-', '@', "'", ' ', '\t', '\u2028', '\\', '🐢'],
  ...['e\u0301', 'Rex', '0', 'null', '#'],
);

const names = fc.oneof(
  fc.array(special, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: anyCharacter }),
);

const textOf = async (
  format: Format,
  escapeFormulas: boolean,
  ...pages: ReadonlyArray<ReadonlyArray<Pet>>
) => {
  let text = '';
  for await (const part of writeRows(format, sourceOf(pages), { escapeFormulas })) text += part;
  return text;
};

const chunksOf = (text: string, size: number): ReadonlyArray<Uint8Array> => {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
};

describe('What export writes', () => {
  for (const [what, format, escapeFormulas] of [
    ['NDJSON', 'ndjson', false],
    ['CSV', 'csv', false],
    ['CSV with escaped formulas', 'csv', true],
  ] as const) {
    it(`is imported exactly as ${what}, however it is divided into chunks`, () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(anyNewPet(names), { maxLength: 230, size: 'max' }),
          fc.integer({ min: 1, max: 300 }),
          async (newPets, size) => {
            const pets = newPets.map((newPet, index) => petWithId(BigInt(index), newPet));
            const text = await textOf(format, escapeFormulas, pets.slice(0, 100), pets.slice(100));
            const read: Array<unknown> = [];
            for await (const row of rowsOf(readRows(format, sourceOf(chunksOf(text, size)), escapeFormulas)))
              read.push(E.toUnion(newPetOf(row)));
            expect(read).to.deep.equal(newPets);
          },
        ),
        { numRuns: 60 },
      ));
  }

  it('has no name that a spreadsheet runs as a formula, if formulas are escaped', async () => {
    const formulas = ['=1+1', '+1', '-1', '@x', "'=1", "''@x", '\t=1', '\r=1', '\uff1d1'];
    const others = ["'", "'tis", 'a=1', ' =1', ''];
    const pets = [...formulas, ...others].map((name, index) => ({
      ...petWithId(BigInt(index)),
      name,
      categoryId: -1n,
    }));
    const written: Array<unknown> = [];
    for await (const row of rowsOf(
      readRows('csv', sourceOf([Buffer.from(await textOf('csv', true, pets))])),
    )) {
      const newPet = newPetOf(row);
      written.push(E.isRight(newPet) && newPet.right.name);
    }
    expect(written).to.deep.equal([...formulas.map((name) => `'${name}`), ...others]);
  });
});
