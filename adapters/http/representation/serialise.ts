import fastJson from 'fast-json-stringify';
import type { Pet, PetPage } from '../../../core';
import { type ErrorCode, schemas } from './schemas';

/** What every failure answers with (interface, section 2). */
export interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status: number;
}

const serialiserOf = (name: keyof typeof schemas) => {
  const schema = { $ref: `#/components/schemas/${name}`, components: { schemas } };
  return fastJson(schema);
};

/** JSON text of a Pet, with every digit of its integers. */
export const serialisePet: (pet: Pet) => string = serialiserOf('Pet');

export const serialiseError: (error: ErrorBody) => string = serialiserOf('Error');

export const serialiseHealth: (health: { readonly status: 'live' | 'ready' }) => string =
  serialiserOf('Health');

const serialisePets: (pets: ReadonlyArray<Pet>) => string = serialiserOf('Pets');

const pageBytes = new WeakMap<PetPage, Buffer>();

/** JSON text of a page, in UTF-8; requests that share one page object, which never changes, share its bytes. */
export const serialisePage = (page: PetPage): Buffer => {
  const known = pageBytes.get(page);
  if (known !== undefined) return known;
  const bytes = Buffer.from(serialisePets(page.pets));
  pageBytes.set(page, bytes);
  return bytes;
};
