import { randomBytes } from 'node:crypto';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryPetRepository } from '../../adapters/in-memory';
import { inMemoryQuota } from '../../adapters/rate-limiter';
import { ApiKey, decodeOrThrow } from '../../core';
import type { StartFailure } from '../failures/start-failure';
import type { Settings } from '../settings/settings';
import type { Backend } from './backend';
import { environmentKeys } from './environment-keys';

const openWith = ({ API_KEYS, RATE_LIMIT }: Settings): Backend => {
  const firstKey =
    API_KEYS.length > 0
      ? undefined
      : decodeOrThrow(ApiKey, `animals_${randomBytes(32).toString('base64url')}`);
  const keys = firstKey === undefined ? API_KEYS : [firstKey];
  return {
    ports: { pets: inMemoryPetRepository(), authenticate: environmentKeys(keys).authenticate },
    consumeQuota: RATE_LIMIT && inMemoryQuota(RATE_LIMIT),
    makeFirstKey: TE.right(firstKey),
    checkReadiness: T.of(undefined),
    isFileReplaced: () => false,
    pools: () => [],
    readStatus: T.of({ validKeys: keys.length }),
    close: () => Promise.resolve(),
  };
};

/** Everything in this process's memory, gone when it ends; keys come from API_KEYS, or one is made. */
export const openMemoryBackend = (settings: Settings): TE.TaskEither<StartFailure, Backend> =>
  settings.API_KEYS.length === 0 && settings.NODE_ENV === 'production'
    ? TE.left({ _tag: 'NoApiKey' })
    : TE.fromIO(() => openWith(settings));
