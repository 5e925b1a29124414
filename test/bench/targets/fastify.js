import process from 'node:process';
import { serveFastifyDuties } from '../peers/fastify-duties-routes.js';
import { serveFastifyPlain } from '../peers/fastify-plain-routes.js';
import { postgresAnimals } from '../peers/postgres-animals.js';
import { sqliteAnimals } from '../peers/sqlite-animals.js';

// Run with `duties` for the duties of this service, and with `postgres` for that database.
const words = process.argv.slice(2);
const isDutiful = words.includes('duties');
const animals = words.includes('postgres') ? postgresAnimals({ asBigInt: isDutiful }) : sqliteAnimals();
await (isDutiful ? serveFastifyDuties(animals) : serveFastifyPlain(animals));
