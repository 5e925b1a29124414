import { extname } from 'node:path';

/** How animals are written in a file: a JSON text a line, or RFC 4180 with a header row. */
export type Format = 'ndjson' | 'csv';

export const formats: ReadonlyArray<Format> = ['ndjson', 'csv'];

const byEnding: Readonly<Record<string, Format>> = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv' };

/** The format that a file's ending stands for. */
export const formatOfFile = (file: string): Format | undefined => byEnding[extname(file).toLowerCase()];
