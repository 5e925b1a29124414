import { serveFastifyPlain } from '../peers/fastify-plain-routes.js';
import { postgresAnimals } from '../peers/postgres-animals.js';

await serveFastifyPlain(postgresAnimals({ asBigInt: false }));
