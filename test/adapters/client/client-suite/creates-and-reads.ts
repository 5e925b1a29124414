import { expect } from 'chai';
import { type CreateOptions } from '../../../../adapters/client';
import { inMemoryPetRepository } from '../../../../adapters/in-memory';
import { petWithId } from '../../../contracts/pet-repository/seeds';
import { all, errorOf, failing, isOptions, rex, type UseClient } from './support';

export const createsAndReads = (use: UseClient): void => {
  it('creates, gets and lists animals, with every digit', () =>
    use(inMemoryPetRepository(), async (client) => {
      const tom = await client.create({ name: 'Tom', categoryId: 9007199254740993n, status: 'sold' });
      expect(tom).to.deep.equal({ id: 1n, name: 'Tom', categoryId: 9007199254740993n, status: 'sold' });
      const created = await client.create(rex);
      expect(created).to.deep.equal({ id: 2n, name: 'Rex', categoryId: 7n });
      expect(await client.get(1)).to.deep.equal(tom);
      expect(await client.get(2n)).to.deep.equal(created);
      const missing = await errorOf(client.get(3n));
      expect(missing).to.include({ code: 'pet_not_found', status: 404, attempts: 1 });
      expect(missing.message).to.equal('pet not found: no animal has the id 3');
      expect(await all(client.list())).to.deep.equal([tom, created]);
      expect(await all(client.list({ status: 'sold' }))).to.deep.equal([tom]);
      expect(await client.list({ after: '1' }).toArray()).to.deep.equal([created]);
      for (const empty of ['', null, undefined] as const)
        expect(await client.list({ status: empty, categoryId: empty }).toArray()).to.deep.equal([
          tom,
          created,
        ]);
      expect(await client.list({ categoryId: 7, order: 'asc' }).toArray()).to.deep.equal([created]);
      const newest = await client.page({ order: 'desc', pageSize: 1 });
      expect(newest).to.deep.equal({ pets: [created], next: { order: 'desc', pageSize: 1, after: 2n } });
      expect((await client.page(newest.next)).pets).to.deep.equal([tom]);
      expect(await client.list({ order: 'desc', pageSize: 1 }).toArray()).to.deep.equal([created, tom]);
      expect((await client.create({ name: '', categoryId: '9223372036854775807' })).categoryId).to.equal(
        2n ** 63n - 1n,
      );
    }));

  it('lists all animals, by pages of 100 or of the given size', () => {
    const animals = Array.from({ length: 250 }, (_, index) => petWithId(BigInt(index + 1)));
    const { pets, calls } = failing(0, inMemoryPetRepository({ pets: animals }));
    return use(pets, async (client) => {
      expect(await all(client.list())).to.deep.equal(animals);
      expect(calls()).to.equal(3);
      expect(await all(client.list({ pageSize: 25 }))).to.deep.equal(animals);
      expect(calls()).to.equal(13);
      const sold = animals.filter(({ status, id }) => status === 'sold' && id > 9n);
      expect(await all(client.list({ status: 'sold', after: 9n, pageSize: 7 }))).to.deep.equal(sold);
    });
  });

  it('reads one page, and returns the argument for the next one until the last page', () => {
    const pets = Array.from({ length: 5 }, (_, index) => petWithId(BigInt(index + 1)));
    return use(inMemoryPetRepository({ pets }), async (client) => {
      const first = await client.page({ pageSize: 2, after: 1, timeoutMs: 20_000 });
      expect(first).to.deep.equal({ pets: pets.slice(1, 3), next: { pageSize: 2, after: 3n } });
      const [ofForm, tooLarge]: ReadonlyArray<unknown> = [
        { pageSize: ' 2 ', after: ' 1 ' },
        { pageSize: ' 101 ' },
      ];
      if (!isOptions(ofForm) || !isOptions(tooLarge)) return;
      expect(await client.page(ofForm)).to.deep.equal(first);
      expect((await errorOf(client.page(tooLarge))).fields[0]).to.include({ rule: 'out_of_range' });
      expect(await client.page(first.next)).to.deep.equal({ pets: pets.slice(3), next: undefined });
      expect(await client.page({ after: 5n })).to.deep.equal({ pets: [], next: undefined });
      expect((await client.page()).pets).to.deep.equal(pets);
    });
  });

  it('reads no further than the iteration, and starts again each time', () => {
    const sound = inMemoryPetRepository({ pets: [1n, 2n, 3n, 4n].map((id) => petWithId(id)) });
    const { pets, calls } = failing(0, sound);
    return use(pets, async (client) => {
      const list = client.list({ pageSize: 1 });
      expect(calls()).to.equal(0);
      for (let walk = 1; walk <= 2; walk += 1) {
        for await (const { id } of list) if (id === 2n) break;
        expect(calls()).to.equal(2 * walk);
      }
    });
  });

  it('accepts an idempotency key: the same create adds one animal, and a different one fails', () =>
    use(inMemoryPetRepository(), async (client) => {
      const options: CreateOptions = { idempotencyKey: 'say "hi", \\ you' };
      const { id } = await client.create(rex, options);
      expect((await client.create(rex, options)).id).to.equal(id);
      const error = await errorOf(client.create({ ...rex, name: 'Tom' }, options));
      expect(error).to.include({ code: 'idempotency_key_reused', ...options });
      expect(error.message).to.match(
        /^this (Idempotency-Key|idempotencyKey) was already used for a different animal; use a new key$/,
      );
      expect(await all(client.list())).to.have.lengthOf(1);
    }));
};
