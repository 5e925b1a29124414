import { expect } from 'chai';
import Koa from 'koa';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { docsPages } from '../../../adapters/http/docs-pages';
import { type Listening, servePlainly } from '../../support/http/listen';
import { headOf, rawExchange } from '../../support/http/raw-connection';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

const files = {
  'start.html': '<pre>curl {origin}/v1/pets</pre>',
  'index.html': '<html>',
  'icon.svg': '<svg/>',
};

describe('The pages', () => {
  let server: Listening;
  before('serve pages whose folder is deleted, as if file descriptors had run out', async () => {
    const folder = await makeFolder();
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const pages = docsPages(folder);
    await removeFolders();
    const app = new Koa();
    app.use((context) => pages.find(({ path }) => path === context.path)?.handle(context));
    server = await servePlainly(app.callback());
  });
  after(() => server.close());

  it('are read when the service starts, and not again', async () => {
    expect(await (await fetch(`${server.address}/docs`)).text()).to.equal('<html>');
    expect(await (await fetch(`${server.address}/docs/icon.svg`)).text()).to.equal('<svg/>');
  });

  it('show the address of the service where to paste it', async () => {
    expect(await (await fetch(server.address)).text()).to.equal(`<pre>curl ${server.address}/v1/pets</pre>`);
  });

  it('show a Host as it is, whatever it means to String.replace', async () => {
    const host = "$'$&".repeat(2_000);
    const request = headOf('GET / HTTP/1.1', `Host: ${host}`, 'Connection: close');
    const { body } = await rawExchange(server.address, request);
    expect(body).to.equal(`<pre>curl http://${host.replaceAll('&', '&amp;')}/v1/pets</pre>`);
  });
});
