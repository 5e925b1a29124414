import { expect } from 'chai';
import Koa from 'koa';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { docsPages } from '../../../adapters/http/docs-pages';
import { servePlainly } from '../../support/http/listen';
import { rawExchange } from '../../support/http/raw-connection';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

/** Serves pages whose folder was deleted after the start, as if file descriptors had run out. */
const withPagesOf = async (
  files: Readonly<Record<string, string>>,
  test: (address: string) => Promise<void>,
): Promise<void> => {
  const folder = await makeFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const pages = docsPages(folder);
  await rename(join(folder, 'icon.svg'), join(folder, 'gone.svg'));
  const app = new Koa();
  app.use((context) => pages.find(({ path }) => path === context.path)?.handle(context));
  const { address, close } = await servePlainly(app.callback());
  try {
    await test(address);
  } finally {
    await close();
  }
};

const files = {
  'start.html': '<pre>curl {origin}/v1/pets</pre>',
  'index.html': '<html>',
  'icon.svg': '<svg/>',
};

describe('The pages', () => {
  after(removeFolders);

  it('are read when the service starts, and not again', () =>
    withPagesOf(files, async (address) => {
      expect(await (await fetch(`${address}/docs`)).text()).to.equal('<html>');
      expect(await (await fetch(`${address}/docs/icon.svg`)).text()).to.equal('<svg/>');
    }));

  it('show the address of the service where to paste it', () =>
    withPagesOf(files, async (address) => {
      expect(await (await fetch(address)).text()).to.equal(`<pre>curl ${address}/v1/pets</pre>`);
    }));

  it('show a Host as it is, whatever it means to String.replace', () =>
    withPagesOf(files, async (address) => {
      const host = "$'$&".repeat(2_000);
      const { body } = await rawExchange(
        address,
        `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(body).to.equal(`<pre>curl http://${host.replaceAll('&', '&amp;')}/v1/pets</pre>`);
    }));
});
