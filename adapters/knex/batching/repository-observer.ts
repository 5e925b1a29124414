/**
 * What the repository tells of its work to whoever measures it. Nothing of it may throw. It tells nothing of `createAll`:
 * that is one call, and who makes it learns how many animals it added.
 */
export interface RepositoryObserver {
  /** A batch has ended, well or not: how many calls shared it, and how long it took. For `create` it is the commit. */
  readonly batch: (operation: 'list' | 'find' | 'create', size: number, milliseconds: number) => void;
}
