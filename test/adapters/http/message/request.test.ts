import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { continueOnceRead } from '../../../../adapters/http/message/request';
import { listenOn } from '../../../support/http/listen';

describe('A request that waits for a 100 (Continue)', () => {
  it('gets one, also if its body is read by two listeners', async () => {
    const server = createServer().on('checkContinue', (received, response) => {
      continueOnceRead(received, response);
      for (const event of ['data', 'data']) received.on(event, () => undefined);
      received.on('end', () => response.end());
    });
    const { address, close } = await listenOn(server);
    let continues = 0;
    const sent = request(address, { method: 'POST', headers: { Expect: '100-continue' } });
    sent.on('continue', () => {
      continues += 1;
      sent.end('x');
    });
    sent.flushHeaders();
    await once(sent, 'response');
    expect(continues).to.equal(1);
    await close();
  });
});
