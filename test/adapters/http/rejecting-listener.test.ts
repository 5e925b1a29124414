import { expect } from 'chai';
import { startHttpServer } from '../../../adapters/http';

const failOrAnswer: Parameters<typeof startHttpServer>[0] = async (request, response) => {
  if (request.url === '/broken') throw new Error('a failure that could not be reported');
  response.end('well');
  await Promise.resolve();
};

describe('A listener that rejects', () => {
  it('costs its own client the answer, and no one else', async () => {
    const { address, stop } = await startHttpServer(failOrAnswer, {
      host: '127.0.0.1',
      port: 0,
      maxInFlight: 10,
      reportRefusal: () => undefined,
    });
    try {
      const ask = (path: string): Promise<string> =>
        fetch(`${address}${path}`)
          .then((answer) => answer.text())
          .catch(() => 'cut off');
      expect([await ask('/broken'), await ask('/')]).to.deep.equal(['cut off', 'well']);
    } finally {
      await stop(0);
    }
  });
});
