import type { Knex } from 'knex';

interface Configured {
  readonly client: { readonly config: Knex.Config };
}

export const configurationOf = ({ client }: Configured): Knex.Config => client.config;

/** Returns the database engine of a Knex. Throws a TypeError for Knex clients other than `pg` and `sqlite3`. */
export const engineOf = (knex: Configured): 'PostgreSQL' | 'SQLite' => {
  const { client } = configurationOf(knex);
  switch (client) {
    case 'pg':
    case 'postgres':
    case 'postgresql':
      return 'PostgreSQL';
    case 'sqlite':
    case 'sqlite3':
      return 'SQLite';
    default:
      throw new TypeError(
        `the animal store supports the knex clients pg and sqlite3, not ${typeof client === 'string' ? client : 'a class'}; make a second Knex for the store, with sqlite3 on a file of its own or with pg`,
      );
  }
};
