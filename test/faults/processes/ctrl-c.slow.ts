import { expect } from 'chai';
import { createPet } from '../../support/http/client';
import { eventually } from '../../support/eventually';
import { killPrograms } from '../../support/processes/command';
import { freePort, needsPrograms } from '../../support/processes/system';
import { startAtTerminal } from '../../support/processes/terminal';
import { columnOf } from '../../support/databases/sqlite-files';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'a-key-of-this-test';
const clients = 20;
const rounds = 10;

describe('Ctrl-C at a terminal with npm start', () => {
  needsPrograms('script');
  afterEach(killPrograms);
  afterEach(removeFolders);

  it(`lets the service answer ${clients} clients that create animals, ${rounds} times in a row`, async () => {
    for (let round = 1; round <= rounds; round += 1) {
      const file = await newDatabaseFile();
      const port = await freePort();
      const terminal = startAtTerminal('npm start', {
        environment: { PORT: String(port), DATABASE_URL: `sqlite:${file}`, API_KEYS: key, NO_COLOR: '1' },
      });
      const shows = (text: string) => eventually(text, 60_000, () => terminal.stdout().includes(text));
      await shows('Keys  ');

      const address = `http://127.0.0.1:${port}`;
      const answered: Array<string> = [];
      const progress = { isStopping: false };
      /** Creates animals until the service closes connections, possibly before it has received a request. */
      const createOn = async (client: number): Promise<void> => {
        for (let count = 0; ; count += 1) {
          const name = `${client} ${count}`;
          const sent = createPet({ address, key }, JSON.stringify({ name, categoryId: 1 }));
          const { status } = await sent.catch((error: unknown) => ({ status: String(error) }));
          if (status === 201) answered.push(name);
          else {
            expect(progress.isStopping, `${name}: ${status}`).to.equal(true);
            expect(status).to.match(/ECONNREFUSED|ECONNRESET|socket hang up/);
            return;
          }
        }
      };
      const creating = Promise.all(Array.from({ length: clients }, (_, client) => createOn(client)));
      await eventually('creates', 60_000, () => answered.length > 2 * clients);
      progress.isStopping = true;
      terminal.stdin.write('\x03');
      await creating;
      const { stdout } = await terminal.ended;
      expect(stdout).to.include('stopping; press Ctrl-C again to end at once').and.include('  stopped');
      expect(await columnOf(file, 'pets', 'name'), 'each is answered').to.have.members(answered);
    }
  });
});
