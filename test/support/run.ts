/** Runs a task that must succeed, and returns its result. */
export { success as run } from '../contracts/outcome';
