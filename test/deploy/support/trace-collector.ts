import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../../core';

/** Spans as OTLP has them in JSON, by the fields that are compared. `kind` 2 is a server's. */
const OtlpSpan = t.intersection([
  t.type({ name: t.string, traceId: t.string, spanId: t.string, kind: t.number }),
  t.partial({ parentSpanId: t.string }),
]);

const Scope = t.type({ scope: t.type({ name: t.string }), spans: t.array(OtlpSpan) });

const Traces = t.type({ resourceSpans: t.array(t.type({ scopeSpans: t.array(Scope) })) });

/** A span with the name of the instrumentation that made it. */
export type Span = t.TypeOf<typeof OtlpSpan> & { readonly scope: string };

const spansOf = (body: unknown): ReadonlyArray<Span> =>
  decodeOrThrow(Traces, body)
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ scope, spans }) =>
      spans.map((span) => ({ ...span, scope: scope.name.replace('@opentelemetry/instrumentation-', '') })),
    );

/** Takes traces over OTLP, as JSON over HTTP. */
export const startTraceCollector = async () => {
  const spans: Array<Span> = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      if (request.url === '/v1/traces') spans.push(...spansOf(body));
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    address: `http://127.0.0.1:${port}`,
    spans: (): ReadonlyArray<Span> => spans,
    stop: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
};
