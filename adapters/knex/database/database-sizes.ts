/** What a database takes of its disk, in bytes; undefined where that can't be known from here. */
export interface DatabaseSizes {
  readonly database: number;
  readonly writeAheadLog: number | undefined;
  /** What this process may still take of the disk that the database is on. */
  readonly diskAvailable: number | undefined;
}
