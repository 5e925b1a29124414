import { serveFastifyDuties } from '../peers/fastify-duties-routes.js';
import { postgresAnimals } from '../peers/postgres-animals.js';

await serveFastifyDuties(postgresAnimals({ asBigInt: true }));
