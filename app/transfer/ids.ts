import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createPrivateFile, partialFileFor } from '../../adapters/knex';
import { int64FromText } from '../../core';
import { escapeControlCharacters } from '../terminal/text';

/** Writes ids to a new file, one on each line. `keep` gives the file its name. */
export const createIdsFile = async (file: string) => {
  if (existsSync(file)) throw new Error(`${file} exists; name another file`);
  const partial = partialFileFor(file);
  createPrivateFile(partial);
  const handle = await open(partial, 'r+');
  return {
    write: (ids: ReadonlyArray<bigint>): Promise<void> =>
      handle.appendFile(ids.map((id) => `${id}\n`).join('')),
    keep: async (): Promise<void> => {
      await handle.sync();
      await handle.close();
      await rename(partial, file);
    },
    discard: async (): Promise<void> => {
      await handle.close();
      await rm(partial, { force: true });
    },
  };
};

/** Reads the lines of a file of ids. Throws at the first that has no id. Empty lines are ignored. */
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
