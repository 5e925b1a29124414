/** How soon a database ends what waits or hangs in it. */
export interface Limits {
  /** Whether each of them holds, wherever a statement may run. */
  readonly areKept: boolean;
  /** The settings that hold, and those that do not, by the database's own names. */
  readonly text: string;
  /** What to do where one does not. */
  readonly remedy: string;
}
