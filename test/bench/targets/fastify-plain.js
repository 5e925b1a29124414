import { serveFastifyPlain } from '../peers/fastify-plain-routes.js';
import { sqliteAnimals } from '../peers/sqlite-animals.js';

await serveFastifyPlain(sqliteAnimals());
