import type { ListOrder, NewPet, Pet, PetFilters } from '../../core/pets';
import type { AnimalStoreError } from './animal-store-error';

/** Int64 as an argument: a bigint, a safe integer (`Number.isSafeInteger`) or a string of decimal digits. */
export type Int64Input = bigint | number | string;

type Input<A> = A extends bigint ? Int64Input : A;

/** Animal to add. `categoryId` is a bigint, a safe integer or a string of decimal digits. */
export type NewPetInput = {
  readonly [Field in keyof NewPet]:
    Input<NewPet[Field]> | (undefined extends NewPet[Field] ? undefined : never);
};

/** Animal that a client returns. Its int64 fields are bigints, or decimal digits with the option `int64: 'string'`. */
export type PetOf<Int64 extends bigint | string> = {
  readonly [Field in keyof Pet]: Pet[Field] extends bigint ? Int64 : Pet[Field];
};

/** Options of a client and of each call. The options of a call take precedence. */
export interface CallOptions {
  /** Signal that aborts the call. The call then rejects at once with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum time of each attempt. The default is 10 seconds. */
  readonly timeoutMs?: number | undefined;
  /**
   * Time, from the start of the call, during which failed attempts are retried. The default is 10 seconds for creates
   * and 3 seconds for reads, or 2 seconds for both in an embedded store. With 0, there is only one attempt.
   */
  readonly retryForMs?: number | undefined;
  /** Callback before the delay of a retry. Gets the number of attempts so far and the error of the last attempt. */
  readonly onRetry?:
    | ((retry: {
        readonly attempt: number;
        readonly delayMs: number;
        readonly error: AnimalStoreError;
      }) => void)
    | undefined;
  /** Function to call instead of the global `fetch`. A client of an embedded store does not use it. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Headers of each request, such as for a proxy. The client's own headers take precedence. A client of an embedded
   * store does not use them.
   */
  readonly headers?: RequestInit['headers'];
}

/** Options of a client that a call can't replace. */
export interface ClientOptions {
  /**
   * Type of the ids and categories that the client returns: bigints by default, or `'string'` for decimal digits.
   * Unlike bigints, strings can go into JSON and the caches of front ends.
   */
  readonly int64?: 'bigint' | 'string' | undefined;
}

/** API key, or a function that each attempt calls for the current key. */
export type ApiKeySource = string | (() => string | Promise<string>);

/** Options of a create: those of every call, and an idempotency key. */
export interface CreateOptions extends CallOptions {
  /** Text of 1 to 255 printable ASCII characters. A retry with the same key adds no second animal. */
  readonly idempotencyKey?: string | undefined;
}

type Filters = {
  readonly [Name in keyof PetFilters]?: Input<Exclude<PetFilters[Name], undefined>> | '' | null | undefined;
};

/** Options of a page or list. A filter that is null or an empty string is ignored. */
export interface PageOptions extends CallOptions, Filters {
  /** Id of an animal. Only the animals that follow it are listed. */
  readonly after?: Int64Input | undefined;
  /** Order of the ids: `asc`, the default, or `desc` with the newest animals first. */
  readonly order?: ListOrder | undefined;
  /** Number of animals that each request reads: 1 to 100, by default 100. */
  readonly pageSize?: number | undefined;
}
