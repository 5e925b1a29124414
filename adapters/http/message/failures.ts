/* Failures of HTTP. */

import type * as E from 'fp-ts/Either';
import type { StoreFailure } from '../../../core';
import type { MalformedJson } from '../../json';

/** Failure of a request that the HTTP server rejects. */
export type ServerFailure =
  | {
      readonly _tag: 'ExpectationFailed' | 'HeadersTooLarge' | 'HttpVersionNotSupported' | 'RequestTimeout';
    }
  | { readonly _tag: 'MalformedRequest'; readonly reason: string }
  | { readonly _tag: 'MethodNotAllowed'; readonly allowed: ReadonlyArray<string> }
  | { readonly _tag: 'PayloadTooLarge'; readonly hasLongChunkExtensions?: true };

/** Bug in the program. Its cause must not reach the client. */
export interface Defect {
  readonly _tag: 'Defect';
  readonly cause: unknown;
}

export interface NotReady {
  readonly _tag: 'NotReady';
  readonly reason: string;
}

/** Failure that leads to an error response. */
export type HttpFailure =
  | StoreFailure
  | BodyFailure
  | NotReady
  | { readonly _tag: 'InvalidPetId' | 'MissingApiKey' | 'RepeatedBearer' }
  | { readonly _tag: 'RouteNotFound'; readonly hint: string }
  | { readonly _tag: 'UnsupportedMediaType'; readonly expected: string };

export type BodyFailure = ServerFailure | MalformedJson | Defect;

export type BodyResult = E.Either<BodyFailure, Uint8Array>;

export const bodyTooLarge: BodyFailure = { _tag: 'PayloadTooLarge' };

export const malformed = (reason: string): ServerFailure => ({ _tag: 'MalformedRequest', reason });

export const bodyIncomplete: BodyFailure = malformed(
  'the request body is incomplete; send all bytes of its Content-Length, or its last chunk',
);
