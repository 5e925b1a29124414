import { hash, randomBytes } from 'node:crypto';
import { ApiKey, decodeOrThrow } from '../../../core';

const format = /^animals_([0-9a-f]{16})_[\w-]{43}$/;

/** A new key: a readable prefix, the id that it is known by, and 256 random bits. */
export const newApiKey = (): { readonly id: string; readonly key: ApiKey } => {
  const id = randomBytes(8).toString('hex');
  return { id, key: decodeOrThrow(ApiKey, `animals_${id}_${randomBytes(32).toString('base64url')}`) };
};

/** The id in a key, if the key has the form of one that was issued. */
export const keyIdOf = (key: string): string | undefined => format.exec(key)?.[1];

/** What is kept of a key: SHA-256. 256 random bits need no slow hash. */
export const digestOf = (key: string): Buffer =>
  // Through text: a Buffer of `hash` itself has memory of its own, and costs each request twice as much.
  Buffer.from(hash('sha256', key), 'hex');
