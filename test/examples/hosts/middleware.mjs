// Runs next to store.mjs of docs/embedding.md.
import cors from '@koa/cors';
import etag from '@koa/etag';
import { bodyParser } from '@koa/bodyparser';
import { mountPetRoutes } from 'animal-store/http';
import Koa from 'koa';
import compress from 'koa-compress';
import conditionalGet from 'koa-conditional-get';
import helmet from 'koa-helmet';
import { openStore } from './store.mjs';

const app = new Koa();
app.use(helmet());
app.use(cors({ exposeHeaders: ['Link', 'Location'] })); // before the routes: a preflight brings no key
app.use(compress());
app.use(conditionalGet());
app.use(etag());
mountPetRoutes(app, openStore);
app.use(bodyParser()); // behind the routes
app.use((context) => {
  context.body = 'a page of the host';
});
app.listen(3000, '127.0.0.1');
