import { fileURLToPath } from 'node:url';

const program = (name) => fileURLToPath(new URL(`targets/${name}.js`, import.meta.url));

/** The service as shipped. */
export const service = [fileURLToPath(new URL('../../dist/app/main.js', import.meta.url)), 'serve'];

/**
 * What is measured: the arguments of `node`, and the kind of its database. Peers find knex,
 * sqlite3 and lossless-json among the service's own packages: the same versions, compiled once.
 */
export const targets = {
  'animal-store': { database: 'sqlite', arguments: service },
  'fastify-plain': { database: 'sqlite', arguments: [program('fastify')] },
  'fastify-duties': { database: 'sqlite', arguments: [program('fastify'), 'duties'] },
  'http-plain': { database: 'sqlite', arguments: [program('http-plain')] },
  express: { database: 'sqlite', arguments: [program('express')] },
  'animal-store-pg': { database: 'postgres', arguments: service },
  'fastify-pg': { database: 'postgres', arguments: [program('fastify'), 'postgres'] },
  'fastify-pg-duties': { database: 'postgres', arguments: [program('fastify'), 'duties', 'postgres'] },
};

/** Whom a target is compared with. */
export const baselineOf = (name) => (targets[name].database === 'sqlite' ? 'fastify-duties' : 'fastify-pg');
