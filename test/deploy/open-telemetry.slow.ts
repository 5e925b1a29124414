import { expect } from 'chai';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectFolder } from '../support/processes/command';
import { eventually } from '../support/eventually';
import { killServices, startService } from '../support/service/service-process';
import { createPostgresDatabase } from '../support/postgres/postgres';
import { newDatabaseFile, removeFolders } from '../support/temporary-folder';
import { type Span, startTraceCollector } from './support/trace-collector';

const embedders = createRequire(join(projectFolder, 'test', 'embedders', 'package.json'));
const register = embedders.resolve('@opentelemetry/auto-instrumentations-node/register');

const key = 'first-key-of-the-tests';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

/** Maximum wait for spans, which are sent in batches. */
const bound = 60_000;

const databases = [
  {
    name: 'SQLite',
    open: async () => ({ url: `sqlite:${await newDatabaseFile()}`, drop: () => Promise.resolve() }),
    scopes: ['knex'],
  },
  { name: 'PostgreSQL', open: () => createPostgresDatabase(), scopes: ['knex', 'pg'] },
];

/** Returns the ancestors of a span, up to the first span of its process. */
const ancestorsOf = (span: Span, spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent, spans)];
};

describe("OpenTelemetry's automatic instrumentation", () => {
  afterEach(killServices);
  after(removeFolders);

  for (const { name, open, scopes } of databases) {
    it(`sees the request with its route, and the database below it, in the trace of the client, on ${name}`, async () => {
      const { url, drop } = await open();
      const collector = await startTraceCollector();
      const service = await startService({
        DATABASE_URL: url,
        API_KEYS: key,
        NODE_OPTIONS: `--require ${register}`,
        OTEL_TRACES_EXPORTER: 'otlp',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
        OTEL_BSP_SCHEDULE_DELAY: '100',
        OTEL_NODE_RESOURCE_DETECTORS: 'none',
      });
      try {
        const response = await fetch(`${service.address}/v1/pets?limit=1`, {
          headers: { Authorization: `Bearer ${key}`, traceparent: `00-${traceId}-${parentId}-01` },
        });
        expect(response.status).to.equal(200);
        const ours = () => collector.spans().filter((span) => span.traceId === traceId);
        await eventually('the spans of the request are there', bound, () =>
          ['http', ...scopes].every((scope) => ours().some((span) => span.scope === scope)),
        );
        const server = ours().find(({ kind, scope }) => scope === 'http' && kind === 2);
        expect(server).to.include({ name: 'GET /v1/pets', parentSpanId: parentId });
        for (const scope of scopes) {
          const span = ours().find((one) => one.scope === scope);
          const above = span === undefined ? [] : ancestorsOf(span, ours());
          expect(
            above.map(({ spanId }) => spanId),
            scope,
          ).to.include(server?.spanId);
        }
        const { stdout } = await service.stop();
        expect(stdout).to.include(`"trace_id":"${traceId}"`);
      } finally {
        await killServices();
        await collector.close();
        await drop();
      }
    });
  }
});
