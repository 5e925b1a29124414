import { arbitraryNewPet } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { success } from '../outcome';
import type { TestRunner } from '../test-runner';
import type { UseRepository } from './open-pet-repository';
import { allPets } from './pages-of';

const controls = String.fromCodePoint(
  ...Array.from({ length: 0xa0 }, (_, code) => code).filter((code) => code !== 0),
);

/** A name of 1,000 code points, which is the maximum length, and of 4,000 bytes of UTF-8. */
export const longestName = '🐕'.repeat(1_000);

const names: Readonly<Record<string, string>> = {
  'nothing at all': '',
  'a composed letter (NFC)': '\u00e9',
  'the same letter decomposed (NFD)': 'e\u0301',
  'letters that fold to others': 'ßſİıK',
  'right-to-left scripts and marks': '\u202eשלום\u202c \u200fسلام',
  'many scripts': 'Ωμέγα Жук 犬 강아지 สุนัข कुत्ता',
  'emoji joined by zero-width joiners': '👩‍👩‍👧‍👦🏳️‍🌈🐕‍🦺',
  'the replacement character': '\ufffd',
  'noncharacters and a byte order mark': '\ufeff\ufffe\uffff\u{10ffff}',
  'astral letters': '\u{10000}\u{1f415}\u{20bb7}',
  'a tower of combining marks': `o${'\u0300\u0323'.repeat(50)}`,
  'every control character but U+0000': controls,
  'line ends of every kind': '\r\n\n\r\u0085\u2028\u2029',
  'spaces at both ends': '  Rex \t ',
  'spaces alone': '   ',
  'quotes and backslashes': `'"\`\\ \\' '' "" \\u0041 \\0`,
  'a SQL injection': `Robert'); DROP TABLE pets;--`,
  'another SQL injection': `' OR 1=1; DELETE FROM pets WHERE ''='`,
  'placeholders of statements': '? ?? :id $1 @name %s %% ${x}',
  'words that mean something': 'null',
  'a number': '007.0',
  JSON: '{"__proto__":{"status":"sold"}}',
  '1,000 astral letters': longestName,
};

export const keepsEveryLetter = ({ it }: TestRunner, use: UseRepository): void => {
  for (const [kind, text] of Object.entries(names)) {
    it(`keeps every byte of a name: ${kind}`, () =>
      use({}, async (repository) => {
        const newPet = { ...arbitraryNewPet(), name: text };
        const { pet } = await success(repository.create(newPet));
        const expected = { id: pet.id, ...newPet };
        expectEqual('as created', pet, expected);
        expectEqual('as found', await success(repository.find(pet.id)), expected);
        expectEqual('as listed', await allPets(repository), [expected]);
      }));
  }

  it('keeps all these names apart in concurrent creates', () =>
    use({}, async (repository) => {
      const texts = Object.values(names).map((text) => text);
      const results = await Promise.all(
        texts.map((name) => success(repository.create({ ...arbitraryNewPet(), name }))),
      );
      expectEqual(
        'the names, as created',
        results.map(({ pet }) => pet.name),
        texts,
      );
      for (const { pet } of results) {
        expectEqual('as found', await success(repository.find(pet.id)), pet);
      }
    }));
};
