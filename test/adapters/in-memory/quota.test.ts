import { inMemoryQuota } from '../../../adapters/in-memory';
import { consumeQuotaContract } from '../../contracts';

describe('the quota in memory', () => {
  consumeQuotaContract({ describe, it }, (limit) =>
    Promise.resolve({ consumeQuota: inMemoryQuota(limit), close: () => Promise.resolve() }),
  );
});
