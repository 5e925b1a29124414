import { createRequire } from 'node:module';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../core';

/** What the service's package says of itself, wherever it is installed. */
export const readManifest = () =>
  decodeOrThrow(t.type({ version: t.string }), createRequire(__filename)('#manifest'));
