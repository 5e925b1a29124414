// Needs the file store.mjs of docs/embedding.md in its folder.
import { serve } from '@hono/node-server';
import { petRoutesHandler } from 'animal-store/fetch';
import { Hono } from 'hono';
import { database, openStore } from './store.mjs';

const handle = petRoutesHandler({ openStore });

const app = new Hono();
app.on(['GET', 'POST'], ['/zoo/v1/pets', '/zoo/v1/pets/:petId'], ({ req }) => handle(req.raw));
app.all('*', (context) => context.text('a page of the host'));
const server = serve({ fetch: app.fetch, port: 3000, hostname: '127.0.0.1' });
process.once('SIGTERM', () => server.close(() => database.destroy()));
