import type { ParameterizedContext } from 'koa';
import { deprecatedRoute, deprecationHeaders } from '../protocol/deprecation';
import { causeOf } from '../responses/cause-of';
import { jsonType } from '../responses/http-response';
import type { Outcome } from '../responses/outcome';

/** Answers in Koa's way: middleware around it sees the response, and may change it. What caused a 500 or 503 is its `error`. */
export const writeKoaResponse = (
  context: ParameterizedContext,
  { response, failure, route }: Outcome,
): void => {
  const { status, body, contentType = jsonType, headers = {} } = response;
  const cause = causeOf(failure);
  if (cause !== undefined) context.app.emit('error', cause, context);
  context.status = status;
  if (route === deprecatedRoute) context.set(deprecationHeaders);
  context.set(headers);
  context.set('Content-Type', contentType);
  context.body = body;
};
