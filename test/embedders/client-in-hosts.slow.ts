import { expect } from 'chai';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import { isRefused } from '../support/http/client';
import { projectFolder, startProgram } from '../support/processes/command';
import { freePort } from '../support/processes/system';
import { removeFolders } from '../support/temporary-folder';
import { embedderFolder } from './support/embedder-folder';
import { programs } from './support/programs';

const texts = programs('docs/embedding.md');

const category = '9007199254740993';

const stored = `{"id":1,"name":"Rex","categoryId":${category}}`;

describe('The client of an embedded store', () => {
  let folder = '';
  before(async () => {
    folder = await embedderFolder('knex', 'sqlite3', 'express', 'fastify');
    await writeFile(join(folder, 'store.mjs'), texts['store.mjs'] ?? '');
  });
  after(removeFolders);

  for (const name of ['express-client.mjs', 'fastify-client.mjs']) {
    it(`needs no helper in ${name}, which has at most 15 lines`, async () => {
      const text =
        texts[name] ?? (await readFile(join(projectFolder, 'test', 'examples', 'hosts', name), 'utf8'));
      expect(text.trim().split('\n').length, 'lines').to.be.within(10, 15);
      const port = String(await freePort());
      await writeFile(join(folder, name), text.replace('3000', port));
      await rm(join(folder, 'animals.sqlite3'), { force: true });
      const running = startProgram(process.execPath, [name], {
        folder,
        environment: { SHELTER_KEY: 'a-key' },
      });
      const address = `http://127.0.0.1:${port}/animals`;
      const post = (body: string): Promise<Response> =>
        fetch(address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
      try {
        await eventually(`${name} listens`, 30_000, async () => !(await isRefused(address)));
        const created = await post(`{"name":"Rex","categoryId":"${category}"}`);
        expect(created.headers.get('Content-Type')).to.match(/^application\/json/);
        expect(await created.text()).to.equal(stored);
        expect(await (await fetch(`${address}/1`)).text()).to.equal(stored);
        if (name.startsWith('fastify')) {
          expect(await (await fetch(address)).text()).to.equal(`{"pets":[${stored}]}`);
          expect((await fetch(`${address}?status=lost`)).status).to.equal(400);
        }

        expect((await fetch(`${address}/404`)).status).to.equal(404);
        const malformed = await fetch(`${address}/one`);
        expect(malformed.status).to.equal(400);
        expect(malformed.headers.get('Content-Type')).to.match(/^application\/json/);
        expect(await malformed.text()).to.include('id must be an integer');
        const rounded = await post(`{"name":"Rex","categoryId":${category}}`);
        expect(rounded.status).to.equal(400);
        expect(await rounded.text()).to.include('pass a bigint');
        expect((await post('{"name":"Rex"}')).status).to.equal(400);
        expect((await post('{"name"')).status).to.equal(400);
      } finally {
        running.signal('SIGKILL');
        await running.ended;
      }
    });
  }
});
