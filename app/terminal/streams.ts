import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import * as t from 'io-ts';

export const fileDescriptorOf = (output: Writable): number | undefined =>
  !(output instanceof Socket) && 'fd' in output && typeof output.fd === 'number' ? output.fd : undefined;

const writeToStream = (output: Writable, data: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(data, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

/** Writes to a file in a loop, because Node's stream reports a partial write to a full disk as success. */
export const writeFully = async (output: Writable, data: string | Uint8Array): Promise<void> => {
  const file = fileDescriptorOf(output);
  if (file === undefined) return writeToStream(output, data);
  for (let rest = Buffer.from(data); rest.length > 0;) rest = rest.subarray(writeSync(file, rest));
};

const maxBufferedBytes = 4_194_304;

export const waitForDrain = async (output: Writable, signal: AbortSignal): Promise<void> => {
  if (!output.writableNeedDrain || output.writableLength < maxBufferedBytes) return;
  await once(output, 'drain', { signal }).catch(() => {
    signal.throwIfAborted();
  });
};

interface Handle {
  readonly setBlocking: (isBlocking: boolean) => unknown;
}

const isHandle = (value: unknown): value is Handle => t.type({ setBlocking: t.Function }).is(value);

/**
 * Makes writes to a terminal non-blocking. Otherwise a stalled terminal blocks the process, which then handles no
 * signal. Node has no public function for this.
 */
export const setNonBlocking = (stream: { readonly isTTY?: boolean }): void => {
  const handle: unknown = stream.isTTY === true ? Reflect.get(stream, '_handle') : undefined;
  if (isHandle(handle)) handle.setBlocking(false);
};

/** Control, format and separator characters, which can move the cursor or reverse the following text. */
const controlCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escape = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

export const escapeControlCharacters = (text: string): string => text.replaceAll(controlCharacters, escape);

export const toPrintableJson = (value: unknown): string => escapeControlCharacters(JSON.stringify(value));

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
