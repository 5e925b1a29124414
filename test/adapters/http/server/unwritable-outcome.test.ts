import { expect } from 'chai';
import { type Application, startHttpServer } from '../../../../adapters/http';

const unheard = (): void => undefined;

const application: Application = ({ message: { url } }) => {
  if (url === '/rejects') return Promise.reject(new Error('a failure that could not be reported'));
  const headers = url === '/unwritable' ? { 'X-Broken': 'a\r\nb' } : {};
  return Promise.resolve({
    response: { status: 200, body: 'well', headers },
    failure: undefined,
    keyId: undefined,
    route: undefined,
  });
};

describe('An outcome that can not be written', () => {
  it('costs its own client the response, and no one else', async () => {
    const { address, stop } = await startHttpServer(application, {
      host: '127.0.0.1',
      port: 0,
      maxInFlight: 1,
      maxWait: 1_000,
      reporter: { requestEnded: unheard, requestRejected: unheard, error: unheard },
    });
    try {
      const ask = (path: string): Promise<string> =>
        fetch(`${address}${path}`)
          .then((response) => response.text())
          .catch(() => 'cut off');
      const answers = [await ask('/rejects'), await ask('/unwritable'), await ask('/')];
      expect(answers).to.deep.equal(['cut off', 'cut off', 'well']);
    } finally {
      await stop(0);
    }
  });
});
