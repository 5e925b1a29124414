import type { Knex } from 'knex';

const partOf = (owner: object, name: string): object => {
  const part: unknown = Reflect.get(owner, name);
  if (typeof part === 'object' && part !== null) return part;
  throw new TypeError(`this release of knex has no ${name}`);
};

/**
 * The same knex, pool and transaction, without a host's `wrapIdentifier` and `postProcessResponse`: the store reads its rows
 * by the names of its columns, and knex's migrations switch both off, in a transaction for good. What they are switched off
 * in is the store's own. Knex promises none of these parts.
 */
export const withPlainNames = (knex: Knex): Knex => {
  const client = partOf(knex, 'client');
  const config = { ...partOf(client, 'config'), wrapIdentifier: null, postProcessResponse: null };
  const context = { __proto__: partOf(knex, 'context'), client: { __proto__: client, config } };
  const plain: Knex = new Proxy(knex, {
    get: (target, name, receiver): unknown =>
      name === 'context' ? context : Reflect.get(target, name, receiver),
    apply: (_target, _this, [table]: [string]) => plain.queryBuilder().table(table),
  });
  return plain;
};
