import { ApiKey, decodeOrThrow, KeyId, OwnerId } from 'animal-store/core';
import { authenticateContract } from 'animal-store/testing';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { hashOf, type Token, tenantAuthenticate } from './tenant-authenticate';

const openTenants = () => {
  const tokens = new Map<string, Token>();
  const issue = (ownerId = decodeOrThrow(OwnerId, randomUUID())) => {
    const key = decodeOrThrow(ApiKey, randomUUID());
    const caller = { keyId: decodeOrThrow(KeyId, randomUUID()), ownerId };
    tokens.set(hashOf(key), { caller, blocked: false });
    return Promise.resolve({ caller, key });
  };
  const revoke = (id: KeyId) => {
    for (const [keyHash, token] of tokens) {
      if (token.caller.keyId === id) tokens.set(keyHash, { ...token, blocked: true });
    }
    return Promise.resolve();
  };
  return Promise.resolve({
    authenticate: tenantAuthenticate(tokens),
    issue,
    revoke,
    close: () => Promise.resolve(),
  });
};

authenticateContract({ describe, it }, openTenants);
