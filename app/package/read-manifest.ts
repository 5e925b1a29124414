import { createRequire } from 'node:module';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../core';

const Manifest = t.type({ version: t.string });
export type Manifest = t.TypeOf<typeof Manifest>;

/** What the service's package says of itself, wherever it is installed. */
export const readManifest = (): Manifest => decodeOrThrow(Manifest, createRequire(__filename)('#manifest'));
