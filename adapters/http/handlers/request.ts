import type * as E from 'fp-ts/Either';
import type { AnimalStore, Deadline } from '../../../core';
import type { HttpFailure } from '../errors';
import type { Reply } from '../reply';

/** Maximum size of the body of a request. */
export const maxBodyBytes = 16_000;

/** Request as plain values, so that a handler knows no web framework. */
export interface PetRequest {
  /** Text of the parameter `petId` of the path. */
  readonly petId: string;
  /** Query without its question mark. */
  readonly query: string;
  /** Returns the value of a header, whose name is in lower case. Repeated headers are joined by commas. */
  readonly header: (name: string) => string | undefined;
  /** False if the head of the request says that it has no body. */
  readonly hasBody: boolean;
  /** Reads the body, which is refused if it is larger than the limit. */
  readonly readBody: () => Promise<E.Either<HttpFailure, Uint8Array>>;
  /** Returns the time by which the reply must be made. A body that ends after its head extends it. */
  readonly deadline: () => Deadline;
}

/** Answers a request with the store that the caller's API key has opened. */
export type Handle = (store: AnimalStore, request: PetRequest) => Promise<E.Either<HttpFailure, Reply>>;
