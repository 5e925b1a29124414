import { expect } from 'chai';
import { mock } from 'node:test';
import { memoryApplication, startServer } from '../../../support/http/start-server';

describe('startHttpServer', () => {
  it('leaves no timer behind when its port is taken', async () => {
    const running = await startServer(memoryApplication());
    const { port } = new URL(running.address);
    const timers = mock.method(globalThis, 'setInterval');
    try {
      const failure: unknown = await startServer(memoryApplication(), { port: Number(port) }).catch(
        (cause: unknown) => cause,
      );
      expect(failure).to.have.property('code', 'EADDRINUSE');
      expect(timers.mock.callCount()).to.equal(0);
    } finally {
      timers.mock.restore();
      await running.stop(0);
    }
  });
});
