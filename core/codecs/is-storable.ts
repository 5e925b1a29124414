const unstorable = /[\0\p{Surrogate}]/u;

/** Whether every store keeps a text byte for byte: PostgreSQL refuses U+0000, SQLite alters lone surrogates. */
export const isStorable = (text: string): boolean => !unstorable.test(text);
