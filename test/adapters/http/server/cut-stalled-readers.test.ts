import { expect } from 'chai';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { mock } from 'node:test';
import { cutStalledReaders, type UnreadResponse } from '../../../../adapters/http/server/cut-stalled-readers';

const unread = (body: UnreadResponse['body']): UnreadResponse => ({
  response: new ServerResponse(new IncomingMessage(new Socket())),
  body,
});

describe('Who takes nothing of', () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
    mock.method(performance, 'now', () => now);
  });
  afterEach(() => {
    mock.restoreAll();
  });

  for (const [what, body] of [
    ['a response without a body', undefined],
    ['a response with an empty body', ''],
    ['a small response', 'a'],
  ] as const) {
    it(`${what} is cut off after 300 seconds`, () => {
      const cut = cutStalledReaders();
      const stalled = unread(body);
      for (now of [0, 299_999]) cut([stalled]);
      expect(stalled.response.destroyed).to.equal(false);
      now = 300_000;
      cut([stalled]);
      expect(stalled.response.destroyed).to.equal(true);
    });
  }
});
