import type { ParameterizedContext } from 'koa';
import { jsonType } from '../responses/http-response';
import type { Outcome } from '../responses/outcome';

// Koa's own listener takes nothing but errors.
const toError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/** Answers in Koa's way: middleware around it sees the response, and may change it. What caused a 500 or 503 is its `error`. */
export const writeKoaResponse = (context: ParameterizedContext, { response, failure }: Outcome): void => {
  const { status, body, contentType = jsonType, headers = {} } = response;
  if (failure !== undefined && 'cause' in failure) {
    context.app.emit('error', toError(failure.cause), context);
  }
  context.status = status;
  context.set(headers);
  context.set('Content-Type', contentType);
  context.body = body;
};
