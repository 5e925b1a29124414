import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All that a key could be recognised by in bytes: itself, parts of its random part, and the bits that stand for. */
export const tracesOf = (key: string): ReadonlyArray<Buffer> => {
  const secret = key.slice(-43);
  const bits = Buffer.from(secret, 'base64url');
  return [
    ...(secret.match(/.{10}/g) ?? []).map((part) => Buffer.from(part)),
    ...[Buffer.from(key).toString('base64'), bits.toString('base64'), bits.toString('hex')].map((text) =>
      Buffer.from(text),
    ),
    ...[Buffer.from(secret, 'utf16le'), bits],
  ];
};

/** What may be kept of a key, in a database alone. */
export const digestOf = (key: string): string => hash('sha256', key);

/** Every file in a folder and in those within it, by its path. */
export const filesIn = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path, readFileSync(path)]),
  );
