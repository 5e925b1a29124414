import type { Engine } from './engine';

/**
 * Whether a connection prepares statements once, by name. `auto`: where no pooler stands between, since many of them give
 * the next statement to a connection that has not prepared it, or has prepared another by that name.
 */
export type PreparedStatements = 'auto' | 'always' | 'never';

export const preparesStatements =
  (engine: () => Promise<Engine>, wanted: PreparedStatements): (() => Promise<boolean>) =>
  async () =>
    wanted === 'auto' ? !(await engine()).isPooled : wanted === 'always';
