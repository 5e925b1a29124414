import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { getEventListeners } from 'node:events';
import { mock } from 'node:test';
import {
  animalStoreClient,
  AnimalStoreError,
  type CallOptions,
  embeddedClient,
} from '../../../adapters/client';
import { withRetries } from '../../../adapters/client/retry';
import { unavailable } from '../../../core';

const longestTimerMs = 2 ** 31 - 1;

const failure = new AnimalStoreError('unavailable', 'down', { retryAfterMs: 2 ** 40 });

type Call = (options: CallOptions) => Promise<unknown>;

const fail = () => Promise.reject(new AnimalStoreError('network', 'no answer'));

describe('A call of a client', () => {
  const timersMs: Array<number> = [];
  beforeEach(() => {
    timersMs.length = 0;
    mock.method(Math, 'random', () => 1);
    mock.method(globalThis, 'setTimeout', (end: () => void, delayMs: number) => {
      timersMs.push(delayMs);
      return setImmediate(end);
    });
  });
  afterEach(() => {
    mock.reset();
  });

  it('pauses twice as long after each attempt, up to 5 seconds', async () => {
    const delays: Array<number> = [];
    const stop = new AbortController();
    const onRetry = ({ delayMs }: { readonly delayMs: number }): void => {
      if (delays.push(delayMs) === 6) stop.abort();
    };
    const error: unknown = await withRetries(fail, {
      onRetry,
      signal: stop.signal,
      retryForMs: 30_000,
    }).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'aborted', attempts: 6 });
    expect(delays).to.deep.equal([400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  it('names the idempotency key if a second attempt gets no API key, as the first may have succeeded', async () => {
    const keys = ['k1'];
    const client = animalStoreClient({
      baseUrl: 'http://127.0.0.1:1024',
      apiKey: () => Promise.resolve(keys.shift() ?? ''),
      fetch: fail,
    });
    const created = client.create({ name: 'Rex', categoryId: 7 }, { idempotencyKey: 'one create' });
    const error: unknown = await created.catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'invalid_argument', attempts: 1, idempotencyKey: 'one create' });
  });

  const openStore = () => () => Promise.resolve(E.left(unavailable('down')));
  const apiKey = 'k1';
  const remote = animalStoreClient({ baseUrl: 'http://127.0.0.1:1024', apiKey, fetch: fail });
  const rex = { name: 'Rex', categoryId: 7 };
  const defaults: ReadonlyArray<readonly [name: string, budgetMs: number, call: Call]> = [
    ['a create', 10_000, (options) => remote.create(rex, options)],
    ['a read', 3_000, (options) => remote.get(1, options)],
    ['a create in the same process', 2_000, (o) => embeddedClient({ openStore, apiKey }).create(rex, o)],
  ];
  for (const [name, budgetMs, call] of defaults) {
    it(`gives up ${name} after ${budgetMs / 1_000} seconds by default`, async () => {
      let elapsedMs = 0;
      mock.method(performance, 'now', () => elapsedMs);
      const onRetry = ({ delayMs }: { readonly delayMs: number }): void => {
        elapsedMs += delayMs;
      };
      await call({ onRetry }).catch(() => undefined);
      expect(elapsedMs).to.be.within(budgetMs / 3, budgetMs);
    });
  }

  it('gives an embedded store 50 ms more than an attempt, so that it fails with the code timeout', async () => {
    let deadline: number | undefined;
    mock.method(performance, 'now', () => 1_000);
    const hang = (_key: string, until?: number) => {
      deadline = until;
      return () => new Promise<never>(() => undefined);
    };
    const limits = { timeoutMs: 200, retryForMs: 0 };
    const error: unknown = await embeddedClient({ openStore: hang, apiKey })
      .page(limits)
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'timeout', attempts: 1 });
    expect(deadline).to.equal(1_250);
  });

  it('sets no timer that is longer than Node allows, which would fire at once, and clears each', async () => {
    const cleared = mock.method(globalThis, 'clearTimeout');
    let attempts = 0;
    const failOnce = () => ((attempts += 1) === 1 ? Promise.reject(failure) : Promise.resolve('answer'));
    const unlimited = { timeoutMs: Infinity, retryForMs: Infinity };
    expect(await withRetries(failOnce, unlimited)).to.equal('answer');
    expect(timersMs).to.deep.equal([longestTimerMs, longestTimerMs, longestTimerMs]);
    expect(cleared.mock.callCount()).to.equal(3);
  });

  it('aborts the signal of an attempt that times out', async () => {
    const signals: Array<AbortSignal> = [];
    const hang = ({ signal }: { readonly signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const error: unknown = await withRetries(hang, { retryForMs: 0 }).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'timeout', attempts: 1 });
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true]);
  });

  it('adds one listener to a signal that many calls share, and removes it after the last', async () => {
    const { signal } = new AbortController();
    const listeners = () => getEventListeners(signal, 'abort').length;
    let attempts = 0;
    const failFirst = () => ((attempts += 1) <= 20 ? fail() : Promise.resolve(listeners()));
    const calls = Array.from({ length: 20 }, () => withRetries(failFirst, { signal, retryForMs: 30_000 }));
    expect(listeners()).to.equal(1);
    expect(new Set(await Promise.all(calls))).to.deep.equal(new Set([1]));
    expect(listeners()).to.equal(0);
  });
});
