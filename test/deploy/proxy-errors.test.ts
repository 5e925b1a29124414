import { expect } from 'chai';
import * as t from 'io-ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFailure, errorBody } from '../../adapters/http/operations/errors';
import { decodeOrThrow, unavailable } from '../../core';
import { projectFolder } from '../support/processes/command';

const ErrorBody = t.type({ code: t.string, message: t.string, status: t.number });

/** Errors that a proxy reports in the words of the service. Its other errors are of the proxy. */
const shared = [describeFailure({ _tag: 'HeadersTooLarge' }), describeFailure(unavailable(undefined))].map(
  errorBody,
);

describe('The shipped configurations of proxies', () => {
  for (const [file, count] of [
    ['nginx/animal-store.conf', 2],
    ['haproxy/haproxy.cfg', 3],
    ['caddy/Caddyfile', 1],
  ] as const) {
    it(`answer as the service does to heads that are too large, and while it is unavailable: ${file}`, () => {
      const bodies = readFileSync(join(projectFolder, 'deploy', file), 'utf8').match(/\{"code":.*?\}/g) ?? [];
      const answered = bodies
        .map((body) => decodeOrThrow(ErrorBody, JSON.parse(body)))
        .filter(({ code }) => shared.some((each) => each.code === code));
      expect(answered).to.have.lengthOf(count);
      for (const body of answered) expect(shared).to.deep.include(body);
    });
  }
});
