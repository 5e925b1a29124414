import { expect } from 'chai';
import { join } from 'node:path';
import { killPrograms, main, projectFolder, startProgram } from '../../support/processes/command';
import { freePort, pidOf } from '../../support/processes/system';
import { withOwnPostgres } from '../../support/postgres/postgres-server';

const checkReady = join(projectFolder, 'deploy/check-ready.mjs');

/**
 * Maximum time of a failed start. Its connection times out after about 4 s. systemd starts the service again 1 s later.
 */
const maxStartMs = 15_000;

describe('A start while PostgreSQL is away', () => {
  afterEach(killPrograms);

  it('ends soon with advice, as does the wait for it, so that the next start serves once PostgreSQL is back', () =>
    withOwnPostgres(async ({ url, stop, start, hang }) => {
      const environment = { DATABASE_URL: url, PORT: String(await freePort()), API_KEYS: '' };
      const startService = () => {
        const service = startProgram(process.execPath, [main, 'serve'], { environment });
        return { service, check: startProgram(checkReady, [String(pidOf(service))], { environment }) };
      };
      const expectEnd = async (advice: RegExp): Promise<void> => {
        const begin = performance.now();
        const { service, check } = startService();
        const { code, stderr } = await service.ended;
        expect(code).to.equal(1);
        expect(stderr).to.match(advice);
        expect((await check.ended).code).to.equal(1);
        expect(performance.now() - begin).to.be.lessThan(maxStartMs);
      };
      const wake = hang();
      await expectEnd(/timeout expired; check that the server answers/);
      wake();
      await stop();
      await expectEnd(/ECONNREFUSED.*; start PostgreSQL there/);
      await start();
      const checked = await startService().check.ended;
      expect(checked).to.include({ code: 0, stderr: '' });
    }));
});
