import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/** The descriptor of a stream that writes to a file; undefined of a pipe or a terminal, which Node writes to by itself. */
export const fileOf = (output: Writable): number | undefined =>
  !(output instanceof Socket) && 'fd' in output && typeof output.fd === 'number' ? output.fd : undefined;

const writeToStream = (output: Writable, data: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(data, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

/** Resolves when all of the data is written. A file on a full disk takes a part, which Node's stream takes for the whole. */
export const writeWhole = async (output: Writable, data: string | Uint8Array): Promise<void> => {
  const file = fileOf(output);
  if (file === undefined) return writeToStream(output, data);
  for (let rest = Buffer.from(data); rest.length > 0;) rest = rest.subarray(writeSync(file, rest));
};
