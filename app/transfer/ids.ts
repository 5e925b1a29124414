import { open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createPartial, placePartial } from '../../adapters/files/partial';
import { int64FromText } from '../../core';
import { escapeControlCharacters } from '../terminal/text';
import { resolveOutputFile } from './files';

/** Makes a writer of ids, one on each line, to a new file. `keep` gives the file its name, `discard` deletes it. */
export const createIdsFile = async (target: string) => {
  const file = resolveOutputFile(target, {});
  const partial = createPartial(file);
  const handle = await open(partial, 'r+');
  return {
    write: (ids: ReadonlyArray<bigint>): Promise<void> =>
      handle.appendFile(ids.map((id) => `${id}\n`).join('')),
    keep: async (): Promise<void> => {
      await handle.close();
      await placePartial(partial, file);
    },
    discard: async (): Promise<void> => {
      await handle.close();
      await rm(partial, { force: true });
    },
  };
};

/** Reads ids, one on each line. Ignores empty lines. Throws at the first line that is not an int64. */
export const readIds = async (source: Readable): Promise<ReadonlyArray<bigint>> => {
  const ids: Array<bigint> = [];
  let line = 0;
  for await (const text of createInterface({ input: source })) {
    line += 1;
    if (text.trim() === '') continue;
    const id = int64FromText(text.trim());
    if (id === undefined)
      throw new Error(
        `line ${line}: ${escapeControlCharacters(text.slice(0, 40))} is not the id of an animal`,
      );
    ids.push(id);
  }
  return ids;
};
