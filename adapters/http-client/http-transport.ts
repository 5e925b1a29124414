import {
  AnimalStoreError,
  Pet,
  PetId,
  type PetQuery,
  type Transport,
  type TransportPage,
  type Attempt,
} from '../../core';
import { type RemoteStore, send, type Success, unexpectedResponse, urlOf } from './send';

const toPet = (response: Success, value: unknown): Pet => {
  const decoded = Pet.decode(value);
  if (decoded._tag === 'Left') throw unexpectedResponse(response, 'the body is not a Pet');
  return decoded.right;
};

const toPets = (response: Success): ReadonlyArray<Pet> => {
  if (!Array.isArray(response.body)) throw unexpectedResponse(response, 'the body is not an array');
  return response.body.map((value: unknown) => toPet(response, value));
};

/** Returns the address of the next page (RFC 8288). Refuses another origin, which would receive the API key. */
const nextOf = (response: Success): URL | undefined => {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(response.headers.get('Link') ?? '')?.[1];
  if (target === undefined) return undefined;
  const next = new URL(target, response.url);
  if (next.origin !== response.url.origin)
    throw unexpectedResponse(response, `the next page is on another origin, ${next.origin}`);
  return next;
};

const searchOf = (query: PetQuery): URLSearchParams => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search;
};

/** Sends the operations of a client over HTTP. Rejects with an AnimalStoreError, or a TypeError for an invalid `baseUrl`. */
export const httpTransport = (store: RemoteStore): Transport => {
  const readPage = async (url: URL, attempt: Attempt, after?: PetId): Promise<TransportPage> => {
    const response = await send(store, url, attempt);
    const pets = toPets(response);
    const next = nextOf(response);
    const [first, last] = [pets.at(0), pets.at(-1)];
    // Ids ascend, so a page without larger ids would repeat endlessly.
    const repeats = after !== undefined && first !== undefined && first.id <= after;
    if (repeats || (next !== undefined && last === undefined))
      throw unexpectedResponse(response, 'the next page has no further animals');
    return {
      pets,
      next: next === undefined ? undefined : (nextAttempt) => readPage(next, nextAttempt, last?.id),
    };
  };

  return {
    list: async (query, attempt) => readPage(urlOf(store, `pets?${searchOf(query).toString()}`), attempt),
    create: async (newPet, idempotencyKey, attempt) => {
      const response = await send(store, urlOf(store, 'pets'), attempt, { idempotencyKey, newPet });
      const replayed = response.headers.get('Idempotent-Replayed') === 'true';
      return { pet: toPet(response, response.body), replayed };
    },
    // GET /pets/{petId} ends on 5 December 2030, so a list that starts at this id replaces it.
    find: async (id, attempt) => {
      const before = PetId.decode(id - 1n);
      const after = before._tag === 'Right' ? `&after=${before.right}` : '';
      const [pet] = toPets(await send(store, urlOf(store, `pets?limit=1${after}`), attempt));
      if (pet?.id !== id) throw new AnimalStoreError('pet_not_found', 'pet not found');
      return pet;
    },
  };
};
