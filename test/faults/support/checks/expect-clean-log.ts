import { expect } from 'chai';
import * as t from 'io-ts';
import type { Outcome } from '../../../support/processes/command';

const Line = t.intersection([
  t.type({ level: t.number, msg: t.string }),
  t.partial({ status: t.number, requestId: t.string }),
]);

/** From here on a log line tells of a failure. */
const errorLevel = 50;

/** What a service says when it has started. */
const greeting = /^(?:animal-store serves |Metrics and health checks, without a key: )http/;

/** An answer to noise that says it is of another version of HTTP. */
const otherVersion = 505;

const isFailure = (status: number): boolean => status >= 500 && status !== otherVersion;

/** Holds all that a service wrote against what a service without a fault writes; answers with the number of lines about requests. */
export const expectCleanLog = ({ stdout, stderr, code, signal }: Outcome): number => {
  expect({ code, signal }, stderr).to.deep.equal({ code: 0, signal: null });
  const surprises = stderr
    .trim()
    .split('\n')
    .filter((text) => !greeting.test(text));
  expect(surprises, 'standard error').to.deep.equal([]);
  const lines = stdout.split('\n').slice(0, -1);
  const bad = lines.filter((text) => {
    const line: unknown = JSON.parse(text);
    return !Line.is(line) || line.level >= errorLevel || isFailure(line.status ?? 0);
  });
  expect(bad, 'log lines of failures').to.deep.equal([]);
  return lines.filter((text) => text.includes('"requestId":')).length;
};
