import { inMemoryApiKeys } from '../../../adapters/in-memory';
import { callerOf } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId, authenticateContract } from '../../contracts';

describe('the in-memory API keys', () => {
  authenticateContract({ describe, it }, () => {
    const { add, authenticate, revoke } = inMemoryApiKeys();
    return Promise.resolve({
      authenticate,
      issue: (owner) => {
        const [id, key] = [arbitraryKeyId(), arbitraryApiKey()];
        add(id, key, owner);
        return Promise.resolve({ caller: callerOf(id, owner), key });
      },
      revoke: (id) => {
        revoke(id);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    });
  });
});
