import { expect } from 'chai';
import { allPets } from '../../../support/http/client';

const nameOf = (pet: string): string => {
  const name = /"name":"([^"]*)"/.exec(pet)?.[1];
  if (name === undefined) throw new Error(`no name in ${pet}`);
  return name;
};

interface Expected {
  /** The JSON text of every animal that was answered with a 201. */
  readonly acknowledged: ReadonlyArray<string>;
  /** The name of every animal that was sent; each was sent under a name of its own. */
  readonly sent: ReadonlySet<string>;
}

/** What the store holds, in numbers. */
export interface Stored {
  readonly stored: number;
  readonly lost: number;
  readonly twice: number;
}

/** Checks that every acknowledged animal is there, none is there twice, and none that nobody sent. */
export const expectStored = async (
  service: { readonly address: string; readonly key: string },
  { acknowledged, sent }: Expected,
): Promise<Stored> => {
  const stored = await allPets(service);
  const texts = new Set(stored);
  const lost = acknowledged.filter((pet) => !texts.has(pet));
  expect(lost, 'acknowledged, and lost').to.deep.equal([]);
  const names = stored.map(nameOf);
  const sorted = [...names].sort();
  const twice = sorted.filter((name, place) => name === sorted[place + 1]);
  expect(twice, 'stored twice').to.deep.equal([]);
  expect(
    names.filter((name) => !sent.has(name)),
    'never sent',
  ).to.deep.equal([]);
  return { stored: stored.length, lost: lost.length, twice: twice.length };
};
