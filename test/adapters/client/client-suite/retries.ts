import { expect } from 'chai';
import { type CallOptions, type CreateOptions } from '../../../../adapters/client';
import { inMemoryPetRepository } from '../../../../adapters/in-memory';
import { petWithId } from '../../../contracts/pet-repository/seeds';
import { all, errorOf, failing, rex, type UseClient } from './support';

const never = () => new Promise<never>(() => undefined);

export const retries = (use: UseClient): void => {
  it('retries a create while the store is unavailable, with one key of its own', () => {
    const { pets, keys } = failing(2);
    return use(pets, async (client) => {
      const patient = { retryForMs: 10_000 };
      expect(await client.create(rex, patient)).to.deep.equal({ id: 1n, name: 'Rex', categoryId: 7n });
      await client.create(rex);
      const texts = keys.map((key) => key?.idempotencyKey);
      expect(texts).to.have.lengthOf(4);
      expect(texts.slice(0, 3)).to.deep.equal([texts[0], texts[0], texts[0]]);
      expect(texts[0])
        .to.match(/^\d{1,10}(?:-\d{1,10}){3}$/)
        .and.not.to.equal(texts[3]);
    });
  });

  it('retries reads', () => {
    const { pets, calls } = failing(1, inMemoryPetRepository({ pets: [petWithId(1n)] }));
    return use(pets, async (client) => {
      expect(await all(client.list())).to.have.lengthOf(1);
      expect(calls()).to.equal(2);
    });
  });

  it('fails after its time budget, and reports the number of attempts', () => {
    const { pets, calls } = failing(Infinity);
    return use(pets, async (client) => {
      const once = await errorOf(client.create(rex, { retryForMs: 0, idempotencyKey: 'order-17' }));
      expect(once).to.include({ code: 'unavailable', attempts: 1, idempotencyKey: 'order-17' });
      expect(once.message).not.to.include('disk');
      const began = performance.now();
      const later = await errorOf(client.get(1n, { retryForMs: 1_500 }));
      expect(later.code).to.equal('unavailable');
      expect(later.attempts).to.equal(calls() - 1);
      expect(performance.now() - began).to.be.below(1_900);
    });
  });

  it('ends an attempt that hangs', () => {
    return use({ ...inMemoryPetRepository(), list: () => never, create: () => never }, async (client) => {
      const limits = { timeoutMs: 100, retryForMs: 0 };
      expect(await errorOf(client.create(rex, limits))).to.include({ code: 'timeout', attempts: 1 });
      expect((await errorOf(all(client.list(limits)))).code).to.equal('timeout');
      const retried = await errorOf(client.create(rex, { timeoutMs: 50, retryForMs: 1_000 }));
      expect(retried.attempts).to.be.above(1);
    });
  });

  it('ends a call whose signal is aborted before it, during an attempt or between attempts', () => {
    const { pets } = failing(Infinity);
    return use({ ...pets, create: () => never }, async (client) => {
      const reason = new Error('the user has left');
      const signal = AbortSignal.abort(reason);
      expect(await errorOf(client.get(1n, { signal }))).to.include({
        code: 'aborted',
        attempts: 0,
        cause: reason,
      });
      for (const call of [
        (options: CreateOptions) => client.create(rex, options),
        (options: CreateOptions) => client.get(1n, options),
        (options: CreateOptions) => all(client.list(options)),
      ]) {
        const controller = new AbortController();
        setTimeout(() => {
          controller.abort(reason);
        }, 100);
        const began = performance.now();
        const error = await errorOf(call({ signal: controller.signal }));
        expect(error).to.include({ code: 'aborted', cause: reason });
        expect(performance.now() - began).to.be.below(2_000);
      }
    });
  });

  it('says when to call again after a store was unavailable', () =>
    use(failing(Infinity).pets, async (client) => {
      expect(await errorOf(client.page({ retryForMs: 0 }))).to.include({ retryAfterMs: 1_000 });
    }));

  it('reports each retry, by the options of the client or of the call', () => {
    const { pets } = failing(3);
    const retries: Array<Parameters<NonNullable<CallOptions['onRetry']>>[0]> = [];
    return use(
      pets,
      async (client) => {
        const { replayed, idempotencyKey } = await client.createWithDetails(rex, { idempotencyKey: 'one' });
        expect({ replayed, idempotencyKey }).to.deep.equal({ replayed: false, idempotencyKey: 'one' });
        expect(
          retries.map(({ attempt, error }) => [attempt, error.code, error.idempotencyKey]),
        ).to.deep.equal([1, 2, 3].map((attempt) => [attempt, 'unavailable', 'one']));
        expect((await client.createWithDetails(rex, { idempotencyKey: 'one' })).replayed).to.equal(true);
      },
      { onRetry: (retry) => retries.push(retry), retryForMs: 30_000 },
    );
  });

  it('makes many calls with one signal without a warning of a leak', () => {
    const warnings: Array<string> = [];
    const warn = ({ message }: Error): void => void warnings.push(message);
    const { signal } = new AbortController();
    process.on('warning', warn);
    return use(inMemoryPetRepository(), async (client) => {
      await Promise.all(Array.from({ length: 20 }, () => client.create(rex, { signal })));
      await new Promise(setImmediate);
      process.off('warning', warn);
      expect(warnings).to.deep.equal([]);
    });
  });
};
