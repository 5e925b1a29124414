import type { ImportEnd } from './import-end';

/** What `--json` prints of an import. */
export type ImportSummary = ImportEnd & {
  /** Rows that were read, the wrong ones among them. */
  readonly rows: number;
  readonly wrong: number;
  readonly seconds: number;
};
