import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { RequestEntry } from '../../../adapters/http';
import { makeLogger } from '../../../app/serve/service-log';
import { requestReporter } from '../../../app/serve/request-reporter';
import { decodeSettings } from '../../../app/settings/settings';
import { logLines } from '../../support/service/log-lines';

const failed: RequestEntry = {
  method: 'GET',
  path: '/v1/pets',
  route: '/v1/pets',
  status: 503,
  code: 'unavailable',
  reason: undefined,
  milliseconds: 1,
  keyId: undefined,
  owner: undefined,
  petId: undefined,
  clientAddress: '127.0.0.1',
  requestId: 'a',
  unknownFields: undefined,
};

describe('The log of an outage', () => {
  for (const [kind, messageOf] of [
    ['one cause', () => 'the disk is full'],
    ['another cause for each request', (request: number) => `no connection from port ${request}`],
  ] as const) {
    it(`has a bounded number of lines, whose counts add up, with ${kind}`, () => {
      let log = '';
      const logger = makeLogger('info', (line) => (log += line));
      const settings = pipe(
        decodeSettings({}),
        E.getOrElseW(() => expect.fail('the settings are invalid')),
      );
      const reporter = requestReporter(logger, settings, undefined);
      for (let request = 0; request < 10_000; request += 1) {
        reporter.requestFailed(new Error(messageOf(request)), 'a');
        reporter.requestEnded(failed);
      }
      reporter.reportNotLogged();
      const lines = logLines(log);
      const total = (logged: string, notLogged: string) =>
        lines
          .filter(({ msg }) => msg === logged || msg === notLogged)
          .reduce((sum, line) => sum + Number(line['notLogged'] ?? 1), 0);
      expect(lines.length).to.be.below(300);
      expect(total('request', 'requests not logged')).to.equal(10_000);
      expect(total('request failed', 'causes not logged')).to.equal(10_000);
    });
  }
});
