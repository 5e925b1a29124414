import { inMemoryPetRepository } from '../../../adapters/in-memory';
import { petWithId } from '../../contracts/pet-repository/seeds';
import { sendsApiKeys } from './client-suite/api-keys';
import { checksArguments } from './client-suite/arguments';
import { createsAndReads } from './client-suite/creates-and-reads';
import { calls, type OpenClient, type UseClient } from './client-suite/support';
import { retries } from './client-suite/retries';

export const answersEachOperation = (open: OpenClient): void => {
  it('answers each operation', async () => {
    const { client, close } = await open(inMemoryPetRepository({ pets: [petWithId(1n)] }));
    try {
      for (const call of Object.values(calls)) await call(client);
    } finally {
      await close();
    }
  });
};

/** Defines the tests of an AnimalStoreClient, embedded or remote. */
export const clientSuite = (open: OpenClient): void => {
  const use: UseClient = async (repository, test, options) => {
    const { client, close } = await open(repository, options);
    try {
      await test(client);
    } finally {
      await close();
    }
  };

  answersEachOperation(open);

  for (const suite of [createsAndReads, retries, sendsApiKeys, checksArguments]) suite(use);
};
