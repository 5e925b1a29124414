import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import { type Format, readRows, writeRows } from '../../../app/transfer/formats';
import { importRows } from '../../../app/commands/import';
import {
  CategoryId,
  decodeOrThrow,
  type NewPet,
  type Pet,
  PetName,
  type PetRepository,
  walkPages,
} from '../../../core';
import { success } from '../../contracts/outcome';
import { anyNewPet } from '../../support/any-pet';
import { anyCharacter } from '../../support/random';
import { sourceOf } from '../../contracts/source-of';

const special = fc.constantFrom(
  ...[
    '"',
    '""',
    ',',
    '\r',
    '\n',
    '\r\n',
    '\ufeff',
    '=',
    '+',
    '-',
    '@',
    "'",
    ' ',
    '\t',
    '\u2028',
    '\\',
    '🐢',
    'e\u0301',
    'Rex',
    '0',
  ],
);

const pets = anyNewPet(
  fc.oneof(
    fc.array(special, { maxLength: 6 }).map((parts) => parts.join('')),
    fc.string({ unit: anyCharacter }),
  ),
);

const chunksOf = (text: string, size: number): AsyncIterable<Uint8Array> => {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  return sourceOf(
    Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size)),
  );
};

async function* allPages(list: PetRepository['list']): AsyncGenerator<ReadonlyArray<Pet>> {
  for await (const page of walkPages(list)) {
    if (E.isLeft(page)) throw page.left.cause;
    yield page.right.pets;
  }
}

const exportAll = async (
  format: Format,
  { list }: PetRepository,
  escapeFormulas: boolean,
): Promise<string> => {
  let text = '';
  for await (const part of writeRows(format, allPages(list), { escapeFormulas })) text += part;
  return text;
};

const contentsIn = async ({ list }: PetRepository): Promise<ReadonlyArray<NewPet>> => {
  const contents: Array<NewPet> = [];
  for await (const pets of allPages(list)) contents.push(...pets.map(({ id: _id, ...content }) => content));
  return contents;
};

describe('What export writes', () => {
  for (const [what, format, escapeFormulas] of [
    ['NDJSON', 'ndjson', false],
    ['CSV', 'csv', false],
    ['CSV with escaped formulas', 'csv', true],
  ] as const) {
    it(`is imported byte for byte as ${what}, however it is divided into chunks`, () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(pets, { maxLength: 230, size: 'max' }),
          fc.integer({ min: 1, max: 300 }),
          async (newPets, size) => {
            const [one, other] = [inMemoryPetRepository(), inMemoryPetRepository()];
            await success(one.importAll(sourceOf(newPets)));
            const text = await exportAll(format, one, escapeFormulas);
            const rows = readRows(format, chunksOf(text, size), { escapeFormulas });
            const { count } = await importRows(rows, other, false);
            expect(count).to.equal(newPets.length);
            expect(await exportAll(format, other, escapeFormulas)).to.equal(text);
            expect(await contentsIn(other)).to.deep.equal(newPets);
          },
        ),
        { numRuns: 60 },
      ));
  }

  it('has no name that a spreadsheet runs as a formula, if formulas are escaped', async () => {
    const formulas = ['=1+1', '+1', '-1', '@x', "'=1", "''@x", '\t=1', '\r=1', '\uff1d1'];
    const others = ["'", "'tis", 'a=1', ' =1', ''];
    const repository = inMemoryPetRepository();
    const newPets = [...formulas, ...others].map((name) => ({
      name: decodeOrThrow(PetName, name),
      categoryId: decodeOrThrow(CategoryId, -1n),
    }));
    await success(repository.importAll(sourceOf(newPets)));
    const rows = readRows('csv', chunksOf(await exportAll('csv', repository, true), 100));
    const names: Array<string> = [];
    for await (const { newPet } of rows) if (E.isRight(newPet)) names.push(newPet.right.name);
    expect(names).to.deep.equal([...formulas.map((name) => `'${name}`), ...others]);
  });
});
