import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import { type Format, formats, readRows, writeRows } from '../../../app/transfer/formats';
import { importRows } from '../../../app/commands/import';
import { type NewPet, type Pet, type PetRepository, walkPages } from '../../../core';
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

const exportAll = async (format: Format, { list }: PetRepository): Promise<string> => {
  let text = '';
  for await (const part of writeRows(format, allPages(list))) text += part;
  return text;
};

const contentsIn = async ({ list }: PetRepository): Promise<ReadonlyArray<NewPet>> => {
  const contents: Array<NewPet> = [];
  for await (const pets of allPages(list)) contents.push(...pets.map(({ id: _id, ...content }) => content));
  return contents;
};

describe('What export writes', () => {
  for (const format of formats) {
    it(`is imported byte for byte in ${format}, however it is divided into chunks`, () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(pets, { maxLength: 230, size: 'max' }),
          fc.integer({ min: 1, max: 300 }),
          async (newPets, size) => {
            const [one, other] = [inMemoryPetRepository(), inMemoryPetRepository()];
            await success(one.importAll(sourceOf(newPets)));
            const text = await exportAll(format, one);
            const rows = readRows(format, chunksOf(text, size));
            const count = await importRows(rows, other, false);
            expect(count).to.equal(newPets.length);
            expect(await exportAll(format, other)).to.equal(text);
            expect(await contentsIn(other)).to.deep.equal(newPets);
          },
        ),
        { numRuns: 60 },
      ));
  }

  for (const [what, rows] of [
    ['a row of 65,536 bytes', `name,categoryId\n${'x'.repeat(65_534)},1\n`],
    ['a name of quotes', `name,categoryId\n"${'""'.repeat(65_536)}",1\n`],
    ['a name of control characters', `name,categoryId\n${'\u0001'.repeat(65_536)},1\n`],
    ['a name of line ends', `name,categoryId\n"${'\r\n'.repeat(32_768)}",-9223372036854775808\n`],
  ] as const) {
    it(`is imported whenever import has accepted it before: ${what}`, async function () {
      const one = inMemoryPetRepository();
      const taken = readRows('csv', chunksOf(rows, 65_536));
      await importRows(taken, one, false);
      for (const format of formats) {
        const other = inMemoryPetRepository();
        const again = readRows(format, chunksOf(await exportAll(format, one), 65_536));
        await importRows(again, other, false);
        expect((await contentsIn(other))[0]?.name === (await contentsIn(one))[0]?.name, format).to.equal(
          true,
        );
        expect(await contentsIn(one)).to.have.lengthOf(1);
      }
    });
  }
});
