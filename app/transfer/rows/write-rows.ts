import { serialisePet } from '../../../adapters/http';
import type { Pet } from '../../../core';
import type { Format } from './format';

/** The columns in their order. */
const columns: { readonly [K in keyof Required<Pet>]: (pet: Pet) => string } = {
  name: ({ name }) => name,
  categoryId: ({ categoryId }) => categoryId.toString(),
  status: ({ status = '' }) => status,
  id: ({ id }) => id.toString(),
};

const texts = Object.values(columns);

/** What some programs would drop or read as something else stands in quotes too: spaces at an end, byte order marks. */
const needsQuotes = /[",\r\n\ufeff]|^ | $/;

const toField = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const toRow = (fields: ReadonlyArray<string>): string => `${fields.map(toField).join()}\r\n`;

type Pages = AsyncIterable<ReadonlyArray<Pet>>;

async function* writeNdjson(pages: Pages): AsyncGenerator<string> {
  for await (const pets of pages) yield pets.map((pet) => `${serialisePet(pet)}\n`).join('');
}

async function* writeCsv(pages: Pages): AsyncGenerator<string> {
  yield toRow(Object.keys(columns));
  for await (const pets of pages) yield pets.map((pet) => toRow(texts.map((text) => text(pet)))).join('');
}

const writers = { ndjson: writeNdjson, csv: writeCsv };

/** The text of a file with these animals, page by page. What it writes, `readRows` reads byte for byte. */
export const writeRows = (format: Format, pages: Pages): AsyncGenerator<string> => writers[format](pages);
