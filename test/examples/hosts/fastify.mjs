// Needs the file store.mjs of docs/embedding.md in its folder.
import middie from '@fastify/middie';
import { mountPetRoutes } from 'animal-store/http';
import { fastify } from 'fastify';
import Koa from 'koa';
import { openStore } from './store.mjs';

const zoo = new Koa();
mountPetRoutes(zoo, openStore);

const app = fastify();
await app.register(middie);
app.use('/zoo', zoo.callback());
app.get('/*', () => 'a page of the host');
await app.listen({ port: 3000, host: '127.0.0.1' });
