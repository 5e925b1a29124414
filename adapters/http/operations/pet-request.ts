import type { AnimalStore } from '../../../core';
import type { BodyResult } from '../message/failures';
import type { Headers } from './headers';
import type { Outcome } from './reply';
import type { RequestRecord } from './request-record';

/** Request to an operation, as plain values. */
export interface PetRequest {
  readonly record: RequestRecord;
  /** Decoded path parameter `petId`. Empty if the path has none. */
  readonly petIdText: string;
  /** Query string without the question mark. */
  readonly query: string;
  /** Returns a header. Repeated headers are joined by commas. */
  readonly header: (
    name: 'authorization' | 'content-encoding' | 'content-type' | 'idempotency-key' | 'if-none-match',
  ) => string | undefined;
  /** Resolves to false if the request is known to have no body. */
  readonly hasBody: () => boolean | Promise<boolean>;
  /** Reads the body. Fails if the body is incomplete, or larger than `bodyBytes`. */
  readonly readBody: () => Promise<BodyResult>;
}

/** Operation under `/v1`. Its name in `petOperations` is its `operationId` in openapi.json. */
export interface PetOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly successStatus: number;
  /** Headers of every response of the operation, even if it fails. */
  readonly headers?: Headers;
  /** Answers a request whose API key has opened the store. */
  readonly handle: (store: AnimalStore, request: PetRequest) => Promise<Outcome>;
}
