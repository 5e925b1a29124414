import { expect } from 'chai';
import { startPlainServer, stopPlainServers } from '../../../support/http/plain-server';

describe('A request that the listener fails to answer', () => {
  after(stopPlainServers);

  it("closes only its own client's connection", async () => {
    const { address } = await startPlainServer((request, response) => {
      if (request.url === '/throws') throw new Error('a mistake of the listener');
      if (request.url === '/rejects') return Promise.reject(new Error('a mistake of the listener'));
      if (request.url === '/unwritable') return response.writeHead(200, { 'X-Broken': 'a\r\nb' }).end('well');
      return response.end('well');
    });
    const ask = (path: string): Promise<string> =>
      fetch(`${address}${path}`)
        .then((response) => response.text())
        .catch(() => 'cut off');
    const answers = [await ask('/throws'), await ask('/rejects'), await ask('/unwritable'), await ask('/')];
    expect(answers).to.deep.equal(['cut off', 'cut off', 'cut off', 'well']);
  });
});
