import { json } from 'node:stream/consumers';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../../core';
import { servePlainly } from '../../support/http/listen';

/** Fields of a span in OTLP's JSON that are compared. `kind` 2 is the span of a server. */
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

/** Starts a server that receives traces over OTLP, as JSON over HTTP. */
export const startTraceCollector = async () => {
  const spans: Array<Span> = [];
  const { address, close } = await servePlainly(async (request, response) => {
    const body = await json(request);
    if (request.url === '/v1/traces') spans.push(...spansOf(body));
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  return { address, spans: (): ReadonlyArray<Span> => spans, close };
};
