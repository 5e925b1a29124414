import { serveFastifyDuties } from '../peers/fastify-duties-routes.js';
import { sqliteAnimals } from '../peers/sqlite-animals.js';

await serveFastifyDuties(sqliteAnimals());
