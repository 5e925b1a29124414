import { expect } from 'chai';
import { pino } from 'pino';
import type { RequestRecord } from '../../../adapters/http';
import { logReporter } from '../../../app/serve/log-reporter';

const record: RequestRecord = {
  requestId: 'one',
  method: 'GET',
  path: '/v1/pets',
  route: undefined,
  status: 200,
  milliseconds: 1.5,
  keyId: undefined,
  owner: undefined,
  isDeprecated: false,
  trace: undefined,
  clientAddress: undefined,
};

/** The line of a request, where OpenTelemetry's instrumentation of pino adds its trace. */
const lineOf = (reported: RequestRecord): unknown => {
  let line = '';
  const logger = pino(
    { base: null, timestamp: false, mixin: () => ({ trace_id: 'from-open-telemetry', span_id: 'span' }) },
    { write: (text: string) => (line = text) },
  );
  logReporter(logger).requestEnded(reported);
  return JSON.parse(line);
};

const fields = {
  level: 30,
  method: 'GET',
  path: '/v1/pets',
  status: 200,
  milliseconds: 1.5,
  requestId: 'one',
};

describe('The log line of a request', () => {
  it('keeps the trace that something else knows when the request names none', () => {
    expect(lineOf(record)).to.deep.equal({
      ...fields,
      trace_id: 'from-open-telemetry',
      span_id: 'span',
      msg: 'request',
    });
  });

  it('has the trace that the request names', () => {
    const traced = { ...record, trace: { traceId: 'of-the-request', parentId: 'parent' } };
    expect(lineOf(traced)).to.include({ trace_id: 'of-the-request', parent_id: 'parent' });
  });

  it('has the address of the client where it is known', () => {
    expect(lineOf({ ...record, clientAddress: '192.0.2.7' })).to.include({
      clientAddress: '192.0.2.7',
    });
    expect(lineOf(record)).to.not.have.property('clientAddress');
  });
});
