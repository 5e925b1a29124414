/** How a database keeps what was committed. */
export interface Durability {
  /** Whether a commit outlives a loss of power. */
  readonly isDurable: boolean;
  /** The database's settings that decide it, by their own names. */
  readonly text: string;
  /** What to do where it does not. */
  readonly remedy: string;
}
