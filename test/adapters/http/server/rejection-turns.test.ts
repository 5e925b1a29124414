import { expect } from 'chai';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { RejectionRecord } from '../../../../adapters/http';
import { admissionControl } from '../../../../adapters/http/server/admission-control';
import { openConnection } from '../../../../adapters/http/server/connection';
import { exchanges } from '../../../../adapters/http/server/exchanges';
import { rejectionTurns } from '../../../../adapters/http/server/rejection-turns';
import { responseWriter } from '../../../../adapters/http/server/write-response';
import { eventually } from '../../../support/eventually';
import { memoryApplication, silentReporter } from '../../../support/http/start-server';

const many = 1_000;

describe('The pace of rejections', () => {
  it('lets each have its turn, in the order in which they came, with the work of others between them', async () => {
    const rejectionTurn = rejectionTurns();
    const rejected: Array<number> = [];
    const ended = Promise.all(
      Array.from({ length: many }, async (_, place) => {
        await rejectionTurn();
        rejected.push(place);
      }),
    );
    const seen: Array<number> = [];
    while (rejected.length < many) {
      await turn();
      seen.push(rejected.length);
    }
    await ended;
    expect(rejected).to.deep.equal(Array.from({ length: many }, (_, place) => place));
    const inTurn = seen.map((count, place) => count - (seen[place - 1] ?? 0));
    expect(Math.max(...inTurn), 'the most in a turn').to.be.at.most(many / 10);
  });

  it('begins anew after a pause', async () => {
    const rejectionTurn = rejectionTurns();
    await rejectionTurn();
    await turn();
    await rejectionTurn();
  });
});

/** A request that is refused at once, and waits for the turn of its rejection. */
const refusedRequest = () => {
  const rejected: Array<RejectionRecord> = [];
  const errors: Array<unknown> = [];
  const { begin, expire } = exchanges({
    application: memoryApplication(),
    admission: { ...admissionControl(1, 1_000), enter: () => false },
    writeResponse: responseWriter([], () => false),
    reporter: {
      ...silentReporter,
      requestRejected: (record) => rejected.push(record),
      error: (cause) => errors.push(cause),
    },
    trustedProxies: 0,
    isStopping: () => false,
  });
  const socket = new Socket();
  socket.on('error', () => undefined);
  const message = new IncomingMessage(socket);
  const response = new ServerResponse(message);
  response.assignSocket(socket);
  const connection = openConnection(socket);
  begin(connection, message, response);
  return { connection, response, rejected, errors, expire };
};

describe('A client that leaves before its rejection has its turn', () => {
  it('is recorded as one that left: nothing was answered', async () => {
    const { response, rejected } = refusedRequest();
    response.destroy();
    await eventually('the rejection is recorded', 20_000, () => rejected.length > 0);
    expect(rejected.map(({ status }) => status)).to.deep.equal([499]);
  });
});

describe('A rejection that has not had its turn at the deadline', () => {
  it('is written then, and is no failure of the service', () => {
    const { connection, response, errors, expire } = refusedRequest();
    if (connection.current === undefined) throw new Error('it is not begun');
    expire(connection.current);
    expect([response.statusCode, response.headersSent]).to.deep.equal([503, true]);
    expect(errors).to.deep.equal([]);
  });
});
