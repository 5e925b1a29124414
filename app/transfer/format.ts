/** How animals are written in a file: a JSON text a line, or RFC 4180 with a header row. */
export type Format = 'ndjson' | 'csv';

export const formats: ReadonlyArray<Format> = ['ndjson', 'csv'];
