import { inMemoryApiKeys } from '../../adapters/in-memory';
import { callerOf, type KeyId, type OwnerId } from '../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../contracts';

/** Returns API keys in memory in the form that `authenticateContract` takes. */
export const apiKeysUnderTest = ({ add, authenticate, revoke } = inMemoryApiKeys()) => ({
  authenticate,
  issue: (owner?: OwnerId) => {
    const [id, key] = [arbitraryKeyId(), arbitraryApiKey()];
    add(id, key, owner);
    return Promise.resolve({ caller: callerOf(id, owner), key });
  },
  revoke: (id: KeyId) => {
    revoke(id);
    return Promise.resolve();
  },
  close: () => Promise.resolve(),
});
