import { expect } from 'chai';
import { call, keepAliveAgent, newPet } from '../support/http/client';
import { eventually } from '../support/eventually';
import { killPrograms } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { columnOf } from '../support/databases/sqlite-files';
import { killServices, startService } from '../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../support/temporary-folder';
import { startCaddy } from './support/proxies';

const key = 'a-key-of-this-test-that-is-long-enough';
const clients = 10;

describe('Behind Caddy with its shipped configuration', () => {
  needsPrograms('caddy', 'openssl');
  afterEach(killPrograms);
  afterEach(killServices);
  after(removeFolders);

  it('no create is lost or sent twice while one instance after another restarts', async () => {
    const file = await newDatabaseFile();
    const settings = {
      DATABASE_URL: `sqlite:${file}`,
      API_KEYS: key,
      TRUST_PROXY: '1',
      STOP_DELAY: '2000',
      LOG_LEVEL: 'debug',
    };
    const start = (port = '0') => startService({ ...settings, PORT: port });
    const instances = [await start(), await start()] as const;
    const [first, second] = instances.map(({ address }) => new URL(address).host);
    const { address } = await startCaddy([first ?? '', second ?? '']);

    const answers: Array<string> = [];
    const names: Array<string> = [];
    let isOver = false;
    const create = async (): Promise<void> => {
      const agent = keepAliveAgent();
      while (!isOver) {
        const name = `animal ${names.length}`;
        names.push(name);
        const { status, headers } = await call(`${address}/v1/pets`, {
          method: 'POST',
          key,
          body: newPet(name),
          agent,
        });
        answers.push(`${status} ${headers['x-request-id'] === undefined ? 'of Caddy' : 'of the service'}`);
      }
      agent.destroy();
    };
    const creating = Promise.all(Array.from({ length: clients }, create));
    for (const instance of instances) {
      expect(await instance.stop()).to.include({ code: 0 });
      const { stdout } = await start(new URL(instance.address).port);
      await eventually('Caddy has found it ready', 20_000, () => stdout().includes('"path":"/readyz"'));
    }
    isOver = true;
    await creating;
    expect(new Set(answers)).to.deep.equal(new Set(['201 of the service']));
    expect(await columnOf(file, 'pets', 'name')).to.have.members(names);
  });
});
