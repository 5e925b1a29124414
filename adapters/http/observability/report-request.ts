import type { Context } from 'koa';
import type { Reporter } from './reporter';
import { isDeprecated } from '../protocol/deprecated';
import { pathOf } from '../protocol/path-of';
import { traceContext } from '../protocol/trace-context';

/** What nginx calls a request whose client closed the connection before there was an answer. */
const clientClosedRequest = 499;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const traceOf = ({ traceparent }: Context['headers']) =>
  typeof traceparent === 'string' ? traceContext(traceparent) : undefined;

/** Reports that a request has arrived, and when it has ended, how. */
export const reportRequest = (context: Context, requestId: string, reporter: Reporter): void => {
  const began = performance.now();
  reporter.arrival?.();
  context.res.on('close', () => {
    reporter.request({
      requestId,
      method: context.method,
      path: pathOf(context.originalUrl),
      route: textOf(context['routerPath']),
      status: context.res.headersSent ? context.status : clientClosedRequest,
      milliseconds: Math.round((performance.now() - began) * 1000) / 1000,
      keyId: textOf(context.state['keyId']),
      isDeprecated: isDeprecated(context.req),
      trace: traceOf(context.headers),
    });
  });
};
