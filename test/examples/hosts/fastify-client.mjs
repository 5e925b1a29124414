// Needs the file store.mjs of docs/embedding.md in its folder.
import { embeddedClient, toJson } from 'animal-store/client';
import { fastify } from 'fastify';
import { openStore } from './store.mjs';

const animals = embeddedClient({ openStore, apiKey: process.env.SHELTER_KEY });
const app = fastify();
app.setReplySerializer(toJson);
app.get('/animals', ({ query: { after, status } }) => animals.page({ after, status }));
app.get('/animals/:id', ({ params }) => animals.get(params.id));
app.post('/animals', ({ body }) => animals.create(body));
await app.listen({ port: 3000, host: '127.0.0.1' });
