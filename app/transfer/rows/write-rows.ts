import { serialisePet } from '../../../adapters/http';
import type { Pet } from '../../../core';
import type { Format } from './format';

/** The columns in their order. */
const writers: { readonly [K in keyof Required<Pet>]: (pet: Pet) => string } = {
  name: ({ name }) => name,
  categoryId: ({ categoryId }) => categoryId.toString(),
  status: ({ status = '' }) => status,
  id: ({ id }) => id.toString(),
};

const columns = Object.keys(writers);
const texts = Object.values(writers);

const toFields = (pet: Pet): ReadonlyArray<string> => texts.map((text) => text(pet));

/** What some programs would drop or read as something else stands in quotes too: spaces at an end, byte order marks. */
const needsQuotes = /[",\r\n\ufeff]|^ | $/;

const toField = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const toCsv = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((fields) => `${fields.map(toField).join()}\r\n`).join('');

type Pages = AsyncIterable<ReadonlyArray<Pet>>;

async function* writeNdjson(pages: Pages): AsyncGenerator<string> {
  for await (const pets of pages) yield pets.map((pet) => `${serialisePet(pet)}\n`).join('');
}

async function* writeCsv(pages: Pages): AsyncGenerator<string> {
  yield toCsv([columns]);
  for await (const pets of pages) yield toCsv(pets.map(toFields));
}

/** The text of a file with these animals, page by page. What it writes, `readRows` reads byte for byte. */
export const writeRows = (format: Format, pages: Pages): AsyncGenerator<string> => {
  switch (format) {
    case 'ndjson':
      return writeNdjson(pages);
    case 'csv':
      return writeCsv(pages);
  }
};
