import { expect } from 'chai';
import { call, newPet, owner, stranger } from '../../support/http/client';
import { startProgram } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';

/** More connections than libuv reads at once, so that it reads them again in the same tick of the event loop. */
const connections = 1_500;
const seconds = 10;

/**
 * Floods a path that gets immediate responses, with the key of one owner, while another owner lists and adds animals.
 */
const crowdNextToAnother = async (folder: string, path: string): Promise<void> => {
  const { address } = await startService({
    DATABASE_URL: `sqlite:${folder}/animals.sqlite3`,
    API_KEYS: `${owner},${stranger}`,
    LOG_LEVEL: 'silent',
  });
  const words = ['-t1', `-c${connections}`, `-d${seconds}`, '-H', `Authorization: Bearer ${owner}`];
  const { ended, stdout } = startProgram('wrk', [...words, `${address}${path}`]);
  const over = new AbortController();
  const flooded = ended.finally(() => {
    over.abort();
  });
  while (!over.signal.aborted) {
    const create = { method: 'POST', key: stranger, body: newPet('Rex') } as const;
    const answers = await Promise.all([
      call(`${address}/v1/pets`, { key: stranger }),
      call(`${address}/v1/pets`, create),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 201]);
  }
  await flooded;
  expect(Number(/(\d+) requests in/.exec(stdout())?.[1]), 'requests of the crowd').to.be.above(connections);
};

describe(`A crowd of ${connections} clients, whose requests are answered at once`, () => {
  needsPrograms('wrk');
  afterEach(killServices);

  for (const path of ['/livez', '/v1/pets?limit=0'])
    it(`does not starve the owner of another key, by GET ${path}`, () =>
      inFolder((folder) => crowdNextToAnother(folder, path)));
});
