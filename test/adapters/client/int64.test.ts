import { expect } from 'chai';
import { embeddedClient, type PageOptions, parseJson, toJson } from '../../../adapters/client';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../adapters/in-memory';
import { storeOpener } from '../../../core';
import { petWithId } from '../../contracts/pet-repository/seeds';

describe('A client with the option int64', () => {
  const pets = Array.from({ length: 3 }, (_, index) => petWithId(2n ** 62n + BigInt(index)));
  const { authenticate } = inMemoryApiKeys([['shelter', 'a-key']]);
  const openStore = () => storeOpener({ pets: inMemoryPetRepository({ pets }), authenticate });
  const isOptions = (_value: unknown): _value is PageOptions => true;

  it('returns decimal digits as "string", so that JSON.stringify writes its animals', async () => {
    const animals = embeddedClient({ openStore: openStore(), apiKey: 'a-key', int64: 'string' });
    const { pets: first, next } = await animals.page({ pageSize: 2 });
    expect(first.map(({ id }) => id)).to.deep.equal(['4611686018427387904', '4611686018427387905']);
    const stored: unknown = JSON.parse(JSON.stringify(next));
    if (!isOptions(stored)) return;
    expect((await animals.page(stored)).pets.map(({ id }) => id)).to.deep.equal(['4611686018427387906']);
    const created = await animals.create({ name: 'Rex', categoryId: '9007199254740993' });
    expect(created).to.include({ categoryId: '9007199254740993' });
    expect(await animals.get(created.id)).to.deep.equal(created);
    expect(await animals.list({ after: next?.after }).toArray()).to.have.lengthOf(2);
  });

  it('reads a place that toJson has stored, whose page size comes back as a bigint', async () => {
    const animals = embeddedClient({ openStore: openStore(), apiKey: 'a-key', int64: 'bigint' });
    const stored: unknown = parseJson(toJson((await animals.page({ pageSize: 2 })).next));
    expect(stored).to.deep.equal({ pageSize: 2n, after: 2n ** 62n + 1n });
    if (!isOptions(stored)) return;
    expect((await animals.page(stored)).pets).to.deep.equal(pets.slice(2));
  });

  it('rejects the first call if the option has another value', async () => {
    const options = { openStore: openStore(), apiKey: 'a-key', int64: 'number' };
    const animals: unknown = Reflect.apply(embeddedClient, undefined, [options]);
    const isClient = (_value: unknown): _value is ReturnType<typeof embeddedClient> => true;
    const error: unknown = isClient(animals) && (await animals.page().catch((reason: unknown) => reason));
    expect(String(error)).to.include("int64 must be 'bigint' or 'string'");
  });
});
