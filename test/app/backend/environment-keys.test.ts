import { expect } from 'chai';
import { environmentKeys } from '../../../app/backend/backend';
import { ApiKey } from '../../../core';
import { decoded } from '../../contracts/outcome';
import { run } from '../../support/run';

/** The SHA-256 of both begins with 71582553. */
const keys = ['client-key-43614', 'client-key-83476'].map((key) => decoded(ApiKey, key));

describe('The keys of API_KEYS', () => {
  it('are all valid and have ids of their own, also where their hashes share 32 bits', async () => {
    const { authenticate } = environmentKeys(keys);
    const ids = new Set<string>();
    for (const key of keys) ids.add((await run(authenticate(key))).keyId);
    expect(ids.size).to.equal(2);
  });
});
