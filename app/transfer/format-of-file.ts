import { extname } from 'node:path';
import type { Format } from './format';

const byEnding: Readonly<Record<string, Format>> = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv' };

/** The format that a file's ending stands for. */
export const formatOfFile = (file: string): Format | undefined => byEnding[extname(file).toLowerCase()];
