import { type KeyId } from 'animal-store/core';
import { arbitraryApiKey, arbitraryKeyId, authenticateContract } from 'animal-store/testing';
import { describe, it } from 'node:test';
import { digestOf, type Tenant, tenantAuthenticate } from './tenant-authenticate';

const openTenants = () => {
  const tenants = new Map<string, Tenant>();
  const issue = () => {
    const [id, key] = [arbitraryKeyId(), arbitraryApiKey()];
    tenants.set(digestOf(key), { id, blocked: false });
    return Promise.resolve({ id, key });
  };
  const revoke = (id: KeyId) => {
    for (const [digest, tenant] of tenants) {
      if (tenant.id === id) tenants.set(digest, { ...tenant, blocked: true });
    }
    return Promise.resolve();
  };
  return Promise.resolve({
    authenticate: tenantAuthenticate(tenants),
    issue,
    revoke,
    close: () => Promise.resolve(),
  });
};

authenticateContract({ describe, it }, openTenants);
