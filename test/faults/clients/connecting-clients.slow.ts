import { expect } from 'chai';
import { connect, type Socket } from 'node:net';
import { headOf } from '../../support/http/raw-connection';
import { killPrograms, main, shell, startProgram } from '../../support/processes/command';
import { killServices, whenServing } from '../../support/service/service-process';

const key = 'connecting-clients-key';

const settings = { DATABASE_URL: 'memory:', API_KEYS: key, LOG_LEVEL: 'silent', PORT: '0' };

const crowd = 2_000;

/** Starts the service on another version of Node, and returns its address. */
const startOn = async (node: string): Promise<string> =>
  (await whenServing(startProgram(node, [main, 'serve'], { environment: settings }))).address;

/** Returns the path of the program of another version of Node, or undefined if npx cannot install it. */
const findNode = async (version: number): Promise<string | undefined> => {
  const { code, stdout } = await shell(
    '.',
    `npx --yes --package=node@${version} -- node -p process.execPath`,
  );
  return code === 0 ? stdout.trim() : undefined;
};

const request = headOf('GET /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`);

/** Maximum number of answers that each client gets on average while one client waits for its first answer. */
const maxRounds = 4;

/**
 * Connects all clients at once. Each client sends a request, and the next one after each answer, until all have an
 * answer. Returns the maximum number of answers that the other clients got while one client waited for its first
 * answer.
 */
const connectCrowd = (address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const sockets: Array<Socket> = [];
    let answers = 0;
    let clientsWithAnswer = 0;
    let most = 0;
    for (let client = 0; client < crowd; client += 1) {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      sockets.push(socket);
      let answersBefore = 0;
      let isFirst = true;
      let received = '';
      socket.on('connect', () => {
        answersBefore = answers;
        socket.write(request);
      });
      socket.on('error', reject);
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString();
        // A complete response ends with the empty list of animals.
        if (!received.endsWith('\r\n\r\n[]\n')) return;
        received = '';
        answers += 1;
        if (isFirst) {
          isFirst = false;
          clientsWithAnswer += 1;
          most = Math.max(most, answers - answersBefore);
        }
        if (clientsWithAnswer < crowd) socket.write(request);
        else {
          resolve(most);
          for (const each of sockets) each.destroy();
        }
      });
    }
  });

describe('Clients that connect', () => {
  afterEach(killServices);
  afterEach(killPrograms);

  it('at once, after a restart, each get an answer in turn', async () => {
    expect(await connectCrowd(await startOn(process.execPath))).to.be.below(maxRounds * crowd);
  });

  it('at once, after a restart on Node 24, each get an answer in turn', async function () {
    const node = await findNode(24);
    if (node === undefined) this.skip();
    else expect(await connectCrowd(await startOn(node))).to.be.below(maxRounds * crowd);
  });
});
