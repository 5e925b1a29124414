import type { KeyId } from './key-id';

declare const authenticated: unique symbol;

/** Somebody whom the auth port knows. Nobody outside the core can make one. */
export interface Caller {
  readonly [authenticated]: true;
  readonly keyId: KeyId;
}

/** The one constructor: `openAnimalStore` calls it with what the auth port answered. */
export const caller = (keyId: KeyId): Caller => ({ keyId }) as Caller;
