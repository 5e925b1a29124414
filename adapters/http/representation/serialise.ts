import type { Pet, PetPage } from '../../../core';

// A quote, a backslash, a control character or half of a surrogate pair.
const escapable = /["\\]|[^ -\ud7ff\ue000-\uffff]/;

/** What JSON.stringify gives; without its call where nothing is to escape, which is nearly always. */
const serialiseText = (text: string): string => (escapable.test(text) ? JSON.stringify(text) : `"${text}"`);

/** The JSON members of a Pet, a comma before each but the first. JSON.stringify takes no bigints. */
const petMembers: { readonly [Field in keyof Pet]-?: (pet: Pet) => string } = {
  id: ({ id }) => `"id":${id.toString()}`,
  name: ({ name }) => `,"name":${serialiseText(name)}`,
  categoryId: ({ categoryId }) => `,"categoryId":${categoryId.toString()}`,
  status: ({ status }) => (status === undefined ? '' : `,"status":"${status}"`),
};

/** JSON text of a Pet, with every digit of its integers. */
export const serialisePet = (pet: Pet): string =>
  `{${petMembers.id(pet)}${petMembers.name(pet)}${petMembers.categoryId(pet)}${petMembers.status(pet)}}`;

const pageBytes = new WeakMap<PetPage, Buffer>();

/** JSON text of a page, in UTF-8; requests that share one page object, which never changes, share its bytes. */
export const serialisePage = (page: PetPage): Buffer => {
  const known = pageBytes.get(page);
  if (known !== undefined) return known;
  const bytes = Buffer.from(`[${page.pets.map(serialisePet).join(',')}]`);
  pageBytes.set(page, bytes);
  return bytes;
};
