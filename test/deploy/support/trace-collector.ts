import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

/** A span as OTLP has it in JSON, by the fields that are looked at. */
export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly spanId: string;
  /** 2 is a server's. */
  readonly kind: number;
  /** The instrumentation that made it. */
  readonly scope: string;
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const list = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
};

const text = (value: unknown, name: string): string => {
  const found = member(value, name);
  return typeof found === 'string' ? found : '';
};

const spansOf = (body: unknown): ReadonlyArray<Span> =>
  list(body, 'resourceSpans').flatMap((resource) =>
    list(resource, 'scopeSpans').flatMap((scoped) =>
      list(scoped, 'spans').map((span) => ({
        name: text(span, 'name'),
        traceId: text(span, 'traceId'),
        parentSpanId: text(span, 'parentSpanId'),
        spanId: text(span, 'spanId'),
        kind: Number(member(span, 'kind')),
        scope: text(member(scoped, 'scope'), 'name').replace('@opentelemetry/instrumentation-', ''),
      })),
    ),
  );

const read = async (message: IncomingMessage): Promise<string> => {
  let all = '';
  message.setEncoding('utf8');
  for await (const chunk of message) all += String(chunk);
  return all;
};

/** Takes traces over OTLP, as JSON over HTTP. */
export const startTraceCollector = async () => {
  const spans: Array<Span> = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      if (request.url === '/v1/traces') spans.push(...spansOf(JSON.parse(body)));
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
