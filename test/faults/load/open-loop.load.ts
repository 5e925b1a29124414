import { expect } from 'chai';
import { createServer, type RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { listenOn } from '../../support/http/listen';
import { fault } from '../support/fault';
import { type OpenLoop, type OpenLoopFigures, startOpenLoop } from '../support/load';

const rate = 2_000;

const measure = async (listener: RequestListener, load: Partial<OpenLoop> = {}): Promise<OpenLoopFigures> => {
  const server = createServer((request, response) => {
    if (request.url === '/livez') response.end();
    else listener(request, response);
  });
  const { address, close } = await listenOn(server);
  try {
    return await startOpenLoop({
      address,
      pid: process.pid,
      ratePerSecond: rate,
      settleSeconds: 0.5,
      countedSeconds: 2,
      connections: 500,
      requests: [{ target: '/', key: 'any' }],
      ...load,
    }).figures;
  } finally {
    await close();
  }
};

describe('The open loop of the overload tests', () => {
  fault('sends requests on schedule, and measures a known delay', async () => {
    const { scheduled, unsent, byStatus, lateness, mostBusy } = await measure((_request, response) => {
      setTimeout(() => response.end('later'), 50);
    });
    expect({ scheduled, unsent }).to.deep.equal({ scheduled: 2 * rate, unsent: 0 });
    expect(byStatus['200']).to.include({ count: 2 * rate });
    expect(byStatus['200']?.p50, 'ms that half of the answers took').to.be.within(50, 75);
    expect(mostBusy, 'connections that waited at once').to.be.at.least(rate * 0.05);
    return { rate, 'p50 ms': Math.round(byStatus['200']?.p50 ?? NaN), 'p99 late ms': lateness.p99 };
  });

  fault('continues to send without responses, and counts a wait from its beginning', async () => {
    let received = 0;
    let held: Promise<void> | undefined;
    const { scheduled, unsent, byStatus } = await measure(
      (_request, response) => {
        received += 1;
        held ??= delay(1_200);
        void held.then(() => response.end());
      },
      { settleSeconds: 0, countedSeconds: 1, connections: 1.5 * rate },
    );
    expect({ scheduled, unsent, received }).to.deep.equal({ scheduled: rate, unsent: 0, received: rate });
    expect(byStatus['200']?.max, 'ms that the first waited').to.be.above(1_200);
    return { sent: received, 'longest ms': Math.round(byStatus['200']?.max ?? NaN) };
  });

  fault('counts requests without a free connection', async () => {
    const { scheduled, unsent, byStatus, mostBusy } = await measure(
      (_request, response) => {
        setTimeout(() => response.end(), 100);
      },
      { connections: 50 },
    );
    expect(mostBusy).to.equal(50);
    expect(unsent).to.be.above(scheduled / 2);
    expect(unsent + (byStatus['200']?.count ?? 0)).to.equal(scheduled);
    return { scheduled, unsent };
  });

  fault('counts refusals, those without Retry-After, and cut connections', async () => {
    let count = 0;
    const { byStatus, unexplained, cutOff, unanswered, scheduled } = await measure((_request, response) => {
      count += 1;
      response.statusCode = count % 2 === 0 ? 503 : 200;
      if (count % 4 === 0) response.setHeader('Retry-After', '1');
      if (count % 4 === 1) response.destroy();
      else response.end('words');
    });
    expect(unanswered).to.equal(0);
    for (const each of [(byStatus['503']?.count ?? 0) / 2, unexplained, cutOff, byStatus['200']?.count]) {
      expect(each).to.be.closeTo(scheduled / 4, scheduled / 50);
    }
    return { refused: byStatus['503']?.count ?? 0, unexplained, cutOff };
  });
});
