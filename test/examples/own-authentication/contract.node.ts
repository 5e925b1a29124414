import { callerOf, type KeyId, type OwnerId } from 'animal-store/core';
import { arbitraryApiKey, arbitraryKeyId, authenticateContract } from 'animal-store/testing';
import { describe, it } from 'node:test';
import { digestOf, type Token, tenantAuthenticate } from './tenant-authenticate';

const openTenants = () => {
  const tokens = new Map<string, Token>();
  const issue = (owner?: OwnerId) => {
    const [caller, key] = [callerOf(arbitraryKeyId(), owner), arbitraryApiKey()];
    tokens.set(digestOf(key), { caller, blocked: false });
    return Promise.resolve({ caller, key });
  };
  const revoke = (id: KeyId) => {
    for (const [digest, token] of tokens) {
      if (token.caller.keyId === id) tokens.set(digest, { ...token, blocked: true });
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
