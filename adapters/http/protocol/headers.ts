/** Header fields by their names. */
export type Headers = Readonly<Record<string, string>>;
