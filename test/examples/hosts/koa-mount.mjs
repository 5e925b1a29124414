// Needs the file store.mjs of docs/embedding.md in its folder.
import { mountPetRoutes } from 'animal-store/http';
import Koa from 'koa';
import mount from 'koa-mount';
import { openStore } from './store.mjs';

const zoo = new Koa();
mountPetRoutes(zoo, openStore);

const app = new Koa();
app.use(mount('/zoo', zoo)); // http://127.0.0.1:3000/zoo/v1/pets
app.use((context) => {
  context.body = 'a page of the host';
});
app.listen(3000, '127.0.0.1');
