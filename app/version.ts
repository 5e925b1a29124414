import * as t from 'io-ts';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { decodeOrThrow } from '../core';

/** Returns the version of the package and, after `+`, the first digits of the digest of the sources of this build. */
export const readVersion = (): string => {
  const { version } = decodeOrThrow(t.type({ version: t.string }), createRequire(__filename)('#manifest'));
  const digest = join(__dirname, '..', 'sources.sha256');
  return existsSync(digest) ? `${version}+${readFileSync(digest, 'utf8').slice(0, 8)}` : version;
};
