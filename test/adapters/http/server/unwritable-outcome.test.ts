import { expect } from 'chai';
import type { Application } from '../../../../adapters/http';
import { startServer } from '../../../support/http/start-server';

const application: Application = ({ message: { url } }) => {
  if (url === '/rejects') return Promise.reject(new Error('a failure that could not be reported'));
  const headers = url === '/unwritable' ? { 'X-Broken': 'a\r\nb' } : {};
  return Promise.resolve({
    response: { status: 200, body: 'well', headers },
    failure: undefined,
    caller: undefined,
    route: undefined,
  });
};

describe('An outcome that can not be written', () => {
  it('costs its own client the response, and no one else', async () => {
    const { address, stop } = await startServer(application);
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
