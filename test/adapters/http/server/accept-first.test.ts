import { expect } from 'chai';
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { decided } from '../../../../adapters/http/responses/outcome';
import { startServer } from '../../../support/http/start-server';

const clients = 200;

/** How many responses the first client has had when the last has its first. */
const responsesBeforeTheLastIsHeard = async (address: string): Promise<number> => {
  const responses = Array.from({ length: clients }, () => 0);
  const everybodyIsHeard = (): boolean => responses.every((count) => count > 0);
  const askAgain = async (client: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!everybodyIsHeard()) {
      await new Promise<void>((resolve, reject) => {
        get(address, { agent }, (response) => {
          void text(response).then(() => {
            resolve();
          }, reject);
        }).on('error', reject);
      });
      responses[client] = (responses[client] ?? 0) + 1;
    }
    agent.destroy();
  };
  await Promise.all(responses.map((_, client) => askAgain(client)));
  return Math.max(...responses);
};

describe('Clients that connect at one instant', () => {
  it('are all accepted before the first is answered over and over', async () => {
    const application = () => Promise.resolve(decided({ status: 200, body: '{}' }));
    const { address, stop } = await startServer(application, { maxInFlight: 128, maxWait: 60_000 });
    const most = await responsesBeforeTheLastIsHeard(address);
    // Where requests don't wait for connections it is half as many as there are clients; a busy machine comes near a third.
    expect(most, 'responses to the busiest client').to.be.below(0.45 * clients);
    await stop(0);
  });
});
