import { type Pet, type PetField, petFieldNames, petFields, type PetPage } from '../../core';

const escapable = /["\\]|[^ -\ud7ff\ue000-\uffff]/;

/** Calls JSON.stringify only for text that needs escapes. */
const serialiseText = (text: string): string => (escapable.test(text) ? JSON.stringify(text) : `"${text}"`);

/** Returns a function that writes one JSON member. JSON.stringify would throw on a bigint. */
const serialiseMember = (name: keyof Pet, { kind }: PetField) => {
  const start = `"${name}":`;
  switch (kind) {
    case 'text':
      return (pet: Pet): string => start + serialiseText(String(pet[name]));
    case 'int64':
      return (pet: Pet): string => start + (pet[name] ?? '').toString();
    // These values contain nothing to escape.
    case 'enumeration':
    case 'date':
      return (pet: Pet): string => `${start}"${String(pet[name])}"`;
  }
};

const members = petFieldNames.map((name) => ({ name, serialise: serialiseMember(name, petFields[name]) }));

export const serialisePet = (pet: Pet): string => {
  let text = '';
  for (const { name, serialise } of members) {
    if (pet[name] !== undefined) text += (text === '' ? '{' : ',') + serialise(pet);
  }
  return `${text}}`;
};

const pageBytes = new WeakMap<PetPage, Buffer>();

/** Returns the JSON text of a page in UTF-8. Requests that share a page object share its bytes. */
export const serialisePage = (page: PetPage): Buffer => {
  const known = pageBytes.get(page);
  if (known !== undefined) return known;
  const bytes = Buffer.from(`[${page.pets.map(serialisePet).join(',')}]`);
  pageBytes.set(page, bytes);
  return bytes;
};
