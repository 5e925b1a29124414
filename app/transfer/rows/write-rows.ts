import { serialisePet } from '../../../adapters/http';
import type { Pet } from '../../../core';
import type { Format } from './format';

const columns = ['name', 'categoryId', 'status', 'id'];

const toFields = ({ name, categoryId, status, id }: Pet): ReadonlyArray<string> => [
  name,
  categoryId.toString(),
  status ?? '',
  id.toString(),
];

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

/** The text of a file with these animals, page by page. What it writes, `readRows` reads to the letter. */
export const writeRows = (format: Format, pages: Pages): AsyncGenerator<string> => {
  switch (format) {
    case 'ndjson':
      return writeNdjson(pages);
    case 'csv':
      return writeCsv(pages);
  }
};
