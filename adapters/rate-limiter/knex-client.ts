import type { Knex } from 'knex';

/** A statement as rate-limiter-flexible sends it to a client of PostgreSQL, with `$1` and so on for its values. */
interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values?: ReadonlyArray<Knex.Value>;
}

/** A client that runs its statements on a pool, by name only where that pool's connections prepare statements. */
export const knexClient = (pool: Knex, preparesStatements: () => Promise<boolean>) => ({
  query: async ({ name, text, values = [] }: Query): Promise<unknown> => {
    const bindings: Array<Knex.Value> = [];
    const sql = text.replace(/\$(\d+)/g, (_, place: string) => {
      bindings.push(values[Number(place) - 1] ?? null);
      return '?';
    });
    const query = pool.raw<unknown>(sql, bindings);
    return name !== undefined && (await preparesStatements()) ? query.options({ name }) : query;
  },
});
