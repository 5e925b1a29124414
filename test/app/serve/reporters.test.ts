import { expect } from 'chai';
import { pino } from 'pino';
import type { RequestRecord } from '../../../adapters/http';
import { logReporter } from '../../../app/serve/observability';

const record: RequestRecord = {
  requestId: 'one',
  method: 'GET',
  path: '/v1/pets',
  route: undefined,
  status: 200,
  milliseconds: 1.5,
  code: undefined,
  unauthorizedReason: undefined,
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
  it('keeps a trace from instrumentation when the request has none', () => {
    expect(lineOf(record)).to.deep.equal({
      ...fields,
      trace_id: 'from-open-telemetry',
      span_id: 'span',
      msg: 'request',
    });
  });

  it('has the trace of the request', () => {
    const traced = { ...record, trace: { traceId: 'of-the-request', parentId: 'parent' } };
    expect(lineOf(traced)).to.include({ trace_id: 'of-the-request', parent_id: 'parent' });
  });

  it('has the address of the client if it is known', () => {
    expect(lineOf({ ...record, clientAddress: '192.0.2.7' })).to.include({
      clientAddress: '192.0.2.7',
    });
    expect(lineOf(record)).to.not.have.property('clientAddress');
  });

  it('has the code of an error, and why a key was refused', () => {
    const refused = { ...record, status: 401, code: 'unauthorized', unauthorizedReason: 'expired' } as const;
    expect(lineOf(refused)).to.include({ level: 30, code: 'unauthorized', reason: 'expired' });
    expect(lineOf(record)).to.not.have.any.keys('code', 'reason');
  });

  it('has the level of an error if the service failed', () => {
    for (const status of [500, 503]) expect(lineOf({ ...record, status })).to.include({ level: 50 });
    expect(lineOf({ ...record, status: 499 })).to.include({ level: 30 });
  });
});
