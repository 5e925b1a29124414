import { createRequire } from 'node:module';
import * as t from 'io-ts';
import { decodeOrThrow } from '../core';

/** Returns the version in package.json. `#manifest` resolves wherever the service is installed. */
export const readVersion = (): string =>
  decodeOrThrow(t.type({ version: t.string }), createRequire(__filename)('#manifest')).version;
