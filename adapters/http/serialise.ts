import fastJson from 'fast-json-stringify';
import type { Pet, PetPage } from '../../core';
import { type ErrorCode, schemas } from './schemas';

interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status: number;
}

const serialiserOf = <A>(name: keyof typeof schemas): ((value: A) => string) =>
  fastJson({ $ref: `#/components/schemas/${name}`, components: { schemas } } as Parameters<
    typeof fastJson
  >[0]);

/** JSON text of a Pet, with every digit of its integers. */
export const serialisePet = serialiserOf<Pet>('Pet');

export const serialiseError = serialiserOf<ErrorBody>('Error');

export const serialiseHealth = serialiserOf<{ readonly status: 'live' | 'ready' }>('Health');

const serialisePets = serialiserOf<ReadonlyArray<Pet>>('Pets');

const pageTexts = new WeakMap<PetPage, string>();

/** JSON text of a page; requests that share one page object, which never changes, share its text. */
export const serialisePage = (page: PetPage): string => {
  const known = pageTexts.get(page);
  if (known !== undefined) return known;
  const text = serialisePets(page.pets);
  pageTexts.set(page, text);
  return text;
};
