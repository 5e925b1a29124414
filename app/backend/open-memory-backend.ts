import { randomBytes } from 'node:crypto';
import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryPetRepository } from '../../adapters/in-memory';
import { inMemoryQuota } from '../../adapters/rate-limiter';
import { ApiKey } from '../../core';
import type { Backend } from './backend';
import { environmentKeys } from './environment-keys';
import type { Settings } from '../settings/settings';
import type { StartFailure } from '../failures/start-failure';

const backendWith = (
  { RATE_LIMIT }: Settings,
  keys: ReadonlyArray<ApiKey>,
  firstKey: string | undefined,
): Backend => ({
  ports: { pets: inMemoryPetRepository(), authenticate: environmentKeys(keys).authenticate },
  consumeQuota: RATE_LIMIT && inMemoryQuota(RATE_LIMIT),
  makeFirstKey: TE.right(firstKey),
  checkReadiness: T.of(undefined),
  isFileReplaced: () => false,
  pools: () => [],
  readStatus: T.of({ validKeys: keys.length }),
  close: () => Promise.resolve(),
});

const makeKey = (): string => `animals_${randomBytes(32).toString('base64url')}`;

/** Everything in this process's memory, gone when it ends; keys come from API_KEYS, or one is made. */
export const openMemoryBackend = (settings: Settings): TE.TaskEither<StartFailure, Backend> => {
  const { API_KEYS, NODE_ENV } = settings;
  if (API_KEYS.length > 0) return TE.fromIO(() => backendWith(settings, API_KEYS, undefined));
  return pipe(
    TE.fromIO(makeKey),
    TE.filterOrElse(
      (key): key is ApiKey => NODE_ENV !== 'production' && ApiKey.is(key),
      (): StartFailure => ({ _tag: 'NoApiKey' }),
    ),
    TE.map((key) => backendWith(settings, [key], key)),
  );
};
