import { fastifyApp, firstPage, found, serve } from './fastify-app.js';
import { checkListQuery, checkNewPet, pageText, parseInt64, petText } from './animal.js';

const json = 'application/json';

/** No logger, no schemas: what is needed is checked by hand, and JSON is written by hand. */
export const serveFastifyPlain = (pets) => {
  const app = fastifyApp();
  app.get('/v1/pets', async (request, reply) => {
    const query = checkListQuery(request.query);
    const page = firstPage(reply, query, await pets.list(query));
    reply.header('content-type', json);
    return pageText(page);
  });
  app.get('/v1/pets/:petId', async (request, reply) => {
    const id = parseInt64(request.params.petId);
    const pet = found(reply, id === undefined ? undefined : await pets.find(id));
    reply.header('content-type', json);
    return petText(pet);
  });
  app.post('/v1/pets', async (request, reply) => {
    const pet = await pets.create(checkNewPet(request.body));
    reply.code(201).header('content-type', json);
    return petText(pet);
  });
  return serve(app);
};
