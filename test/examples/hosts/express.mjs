// Needs the file store.mjs of docs/embedding.md in its folder.
import { exposedHeaders, mountPetRoutes } from 'animal-store/http';
import cors from 'cors';
import express from 'express';
import helmet from 'helmet';
import Koa from 'koa';
import { openStore } from './store.mjs';

const zoo = new Koa();
mountPetRoutes(zoo, openStore);

const app = express();
app.use(helmet());
app.use(cors({ exposedHeaders })); // before the routes: a preflight has no key
app.use('/zoo', zoo.callback());
app.use(express.json()); // after the routes, which read their bodies themselves
app.use((_request, response) => {
  response.send('a page of the host');
});
app.listen(3000, '127.0.0.1');
