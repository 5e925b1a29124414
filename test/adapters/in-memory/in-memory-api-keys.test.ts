import { inMemoryApiKeys } from '../../../adapters/in-memory';
import { arbitraryApiKey, arbitraryKeyId, authenticateContract } from '../../contracts';

describe('the in-memory API keys', () => {
  authenticateContract({ describe, it }, () => {
    const { add, authenticate, revoke } = inMemoryApiKeys();
    return Promise.resolve({
      authenticate,
      issue: () => {
        const [id, key] = [arbitraryKeyId(), arbitraryApiKey()];
        add(id, key);
        return Promise.resolve({ id, key });
      },
      revoke: (id) => {
        revoke(id);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    });
  });
});
