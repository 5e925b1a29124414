import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { killPrograms, projectFolder, shell, startProgram } from '../support/processes/command';
import { copyCheckout } from '../support/packages';
import { eventually } from '../support/eventually';
import { createPet } from '../support/http/client';
import { startSharedPostgres } from '../support/postgres/postgres-server';
import { removeFolders } from '../support/temporary-folder';

const key = 'a-key-of-this-test-that-is-long-enough';

describe('A checkout without its development packages', () => {
  let checkout = '';

  before(async () => {
    checkout = await copyCheckout();
    // The driver that was compiled here is where its install script looks for one to download.
    const cache = join(projectFolder, 'node_modules/.cache/npm');
    const script = join(projectFolder, 'test/deploy/support/cache-prebuilt-driver.mjs');
    expect((await startProgram(process.execPath, [script, cache]).ended).code).to.equal(0);
    const command = 'npm ci && npm run build && npm prune --omit=dev';
    const { code, stderr } = await shell(checkout, command, { npm_config_cache: cache });
    expect(code, stderr).to.equal(0);
    expect(existsSync(join(checkout, 'node_modules/typescript'))).to.equal(false);
  });

  afterEach(killPrograms);
  after(removeFolders);

  const expectToServe = async (databaseUrl: string): Promise<void> => {
    const running = startProgram(process.execPath, ['dist/app/main.js', 'serve'], {
      folder: checkout,
      environment: { PORT: '0', DATABASE_URL: databaseUrl, API_KEYS: key, NODE_ENV: 'production' },
    });
    const address = (): string | undefined => /serves (http:\S+) /.exec(running.stderr())?.[1];
    await eventually('it serves', 120_000, () => address() !== undefined);
    const created = await createPet({ address: address() ?? '', key }, '{"name":"Rex","categoryId":7}');
    expect(created).to.include({ status: 201 });
    expect(await (await fetch(`${address() ?? ''}/readyz`)).text()).to.match(/ok|ready/);
    running.signal('SIGTERM');
    expect(await running.ended).to.include({ code: 0 });
  };

  it('serves on SQLite', () => expectToServe(`sqlite:${join(checkout, 'animals.sqlite3')}`));

  it('serves on PostgreSQL', async () => {
    const server = await startSharedPostgres();
    try {
      await expectToServe(server.url);
    } finally {
      await server.stop();
    }
  });

  it('needs no second build for `npm start`', async () => {
    const { code, stdout, stderr } = await shell(checkout, 'npm run build');
    expect(code, stdout + stderr).to.equal(0);
  });
});
