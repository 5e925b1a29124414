import type { AnimalStoreError } from './animal-store-error';
import type { NewPet, PetFilters } from '../../core/pets';

/** Int64 as an argument: a bigint, a safe integer (`Number.isSafeInteger`) or a string of decimal digits. */
export type Int64Input = bigint | number | string;

type Input<A> = A extends bigint ? Int64Input : A;

/** Animal to add. `categoryId` is a bigint, a safe integer or a string of decimal digits. */
export type NewPetInput = {
  readonly [Field in keyof NewPet]:
    Input<NewPet[Field]> | (undefined extends NewPet[Field] ? undefined : never);
};

/** Options of a client and of each call. Those of a call replace those of the client. */
export interface CallOptions {
  /** Signal that ends the call at once when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum time of each attempt. The default is 10 seconds. */
  readonly timeoutMs?: number | undefined;
  /**
   * Time, from the start of the call, during which failed attempts are retried. The default is 10 seconds for creates
   * and 3 seconds for reads, or 2 seconds in an embedded store. With 0, there is only one attempt.
   */
  readonly retryForMs?: number | undefined;
  /** Called before each pause between two attempts, with the number of attempts so far and the error of the last one. */
  readonly onRetry?:
    | ((retry: {
        readonly attempt: number;
        readonly delayMs: number;
        readonly error: AnimalStoreError;
      }) => void)
    | undefined;
  /** Replaces the global `fetch`. A client of an embedded store does not use it. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Options of a create: those of every call, and an idempotency key of 1 to 255 printable ASCII characters. A retry with
 * the same key adds no second animal.
 */
export interface CreateOptions extends CallOptions {
  readonly idempotencyKey?: string | undefined;
}

/** Filters, start and size of a page. */
export interface PageStart extends PetFilters {
  readonly after?: bigint | undefined;
  readonly pageSize?: number | undefined;
}

/**
 * Options of a page or list: those of every call, filters, position and page size. Only animals with an id greater than
 * `after` are listed. Each request reads `pageSize` animals: 1 to 100, by default 100.
 */
export interface PageOptions extends CallOptions, Omit<PageStart, 'after'> {
  readonly after?: Int64Input | undefined;
}
