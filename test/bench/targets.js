import { fileURLToPath } from 'node:url';

const program = (name) => fileURLToPath(new URL(`targets/${name}.js`, import.meta.url));

export const service = [fileURLToPath(new URL('../../dist/app/main.js', import.meta.url)), 'serve'];

const earlierCheckout = process.env.BENCH_BEFORE;

/**
 * Servers to measure: the arguments of `node`, and the kind of database. `before` is the built checkout in BENCH_BEFORE.
 * The other servers use the service's own versions of knex, sqlite3 and lossless-json.
 */
export const targets = {
  'animal-store': { database: 'sqlite', arguments: service },
  ...(earlierCheckout === undefined
    ? {}
    : { before: { database: 'sqlite', arguments: [`${earlierCheckout}/dist/app/main.js`, 'serve'] } }),
  'fastify-plain': { database: 'sqlite', arguments: [program('fastify')] },
  'fastify-duties': { database: 'sqlite', arguments: [program('fastify'), 'duties'] },
  express: { database: 'sqlite', arguments: [program('express')] },
  'animal-store-pg': { database: 'postgres', arguments: service },
  'fastify-pg': { database: 'postgres', arguments: [program('fastify'), 'postgres'] },
  'fastify-pg-duties': { database: 'postgres', arguments: [program('fastify'), 'duties', 'postgres'] },
};

/** Returns the name of the server to which a target is compared. */
export const baselineOf = (name) => (targets[name].database === 'sqlite' ? 'fastify-duties' : 'fastify-pg');
