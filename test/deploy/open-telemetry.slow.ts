import { expect } from 'chai';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../core';
import { projectFolder } from '../support/processes/command';
import { eventually } from '../support/eventually';
import { killServices, startService } from '../support/service/service-process';
import { sqlStores } from '../support/databases/databases';
import { servePlainly } from '../support/http/listen';

const embedders = createRequire(join(projectFolder, 'test', 'embedders', 'package.json'));
const register = embedders.resolve('@opentelemetry/auto-instrumentations-node/register');

const key = 'first-key-of-the-tests';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

/** Maximum wait for spans, which are sent in batches. */
const bound = 60_000;

/** Fields of a span in OTLP's JSON that are compared. `kind` 2 is the span of a server. */
const Span = t.intersection([
  t.type({ name: t.string, traceId: t.string, kind: t.number }),
  t.partial({ parentSpanId: t.string }),
]);
const Scope = t.type({ scope: t.type({ name: t.string }), spans: t.array(Span) });
const Traces = t.type({ resourceSpans: t.array(t.type({ scopeSpans: t.array(Scope) })) });

/** A span with the name of the instrumentation that made it. */
type Span = t.TypeOf<typeof Span> & { readonly scope: string };

const spansOf = (body: unknown): ReadonlyArray<Span> =>
  decodeOrThrow(Traces, body)
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ scope, spans }) =>
      spans.map((span) => ({ ...span, scope: scope.name.replace('@opentelemetry/instrumentation-', '') })),
    );

describe("OpenTelemetry's automatic instrumentation", () => {
  for (const { name, within } of sqlStores) {
    const scopes = name === 'SQLite' ? ['knex'] : ['knex', 'pg'];
    it(`sees the request with its route, and the database below it, in the trace of the client, on ${name}`, () =>
      within(async ({ databaseUrl }) => {
        const spans: Array<Span> = [];
        const collector = await servePlainly(async (request, response) => {
          const body = await json(request);
          if (request.url === '/v1/traces') spans.push(...spansOf(body));
          response.setHeader('Content-Type', 'application/json').end('{}');
        });
        const service = await startService({
          DATABASE_URL: databaseUrl,
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
          // A span belongs to the trace of the client only if it began below the span of the server.
          const ours = () => spans.filter((span) => span.traceId === traceId);
          await eventually('the spans of the request are there', bound, () =>
            ['http', ...scopes].every((scope) => ours().some((span) => span.scope === scope)),
          );
          const server = ours().find(({ kind, scope }) => scope === 'http' && kind === 2);
          expect(server).to.include({ name: 'GET /v1/pets', parentSpanId: parentId });
          const { stdout } = await service.stop();
          expect(stdout).to.include(`"trace_id":"${traceId}"`);
        } finally {
          await killServices();
          await collector.close();
        }
      }));
  }
});
