import { expect } from 'chai';
import { mock } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Application, RequestRecord } from '../../../../adapters/http';
import { eventually } from '../../../support/eventually';
import { overloadedServer } from '../../../support/http/overloaded-server';
import { rawExchange } from '../../../support/http/raw-exchange';
import { memoryApplication, silentReporter, startServer } from '../../../support/http/start-server';

/** In milliseconds. */
const bound = 20_000;

const getText = (target: string): string =>
  `GET ${target} HTTP/1.1\r\nHost: animals\r\nConnection: close\r\n\r\n`;

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

  it('keeps nothing of the application once it has stopped', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: unknown = runInNewContext('gc');
    if (typeof collectGarbage !== 'function') throw new TypeError('there is no gc');
    const startAndStop = async (): Promise<WeakRef<Application>> => {
      const application = memoryApplication();
      const { stop } = await startServer(application);
      await stop(0);
      return new WeakRef(application);
    };
    const application = await startAndStop();
    await eventually('it is collected', bound, () => {
      Reflect.apply(collectGarbage, undefined, []);
      return application.deref() === undefined;
    });
  });

  it('takes of a whole address the path that its routes take', async () => {
    const ended: Array<RequestRecord> = [];
    const { address, stop } = await startServer(memoryApplication(), {
      reporter: { ...silentReporter, requestEnded: (record) => ended.push(record) },
    });
    try {
      const targets = [
        '/livez',
        'http://h/livez',
        'http://h/v1/../livez',
        'http://h/%2e/livez',
        'http://h?x',
      ];
      for (const target of targets) await rawExchange(address, getText(target));
      await eventually('all are recorded', bound, () => ended.length === targets.length);
      expect(ended.map(({ path, route }) => [path, route])).to.deep.equal([
        ['/livez', '/livez'],
        ['/livez', '/livez'],
        ['/v1/../livez', undefined],
        ['/%2e/livez', undefined],
        ['/', '/'],
      ]);
    } finally {
      await stop(0);
    }
  });

  it('lets everyone ask in an overload how it is, at the very path /livez alone', async () => {
    const { address, stop } = await overloadedServer();
    try {
      const statusOf = async (target: string) => (await rawExchange(address, getText(target))).status;
      for (const target of ['/livez', 'http://h/livez']) {
        expect(await statusOf(target), target).to.equal(200);
      }
      for (const target of ['/v1/../livez', 'http://h/v1/../livez', 'http://h/%2e/livez']) {
        expect(await statusOf(target), target).to.equal(503);
      }
    } finally {
      await stop();
    }
  });
});
