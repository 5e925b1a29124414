import type { Context } from 'koa';
import { failureAnswer } from './failure-answer';
import type { HttpFailure } from './http-failures';
import type { Send } from './send';

// Koa's own listener takes nothing but errors.
const toError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/** Answers with a failure; what caused it, where something did, is emitted as the Koa application's `error`. */
export const sendFailure = (context: Context, failure: HttpFailure, send: Send): void => {
  if ('cause' in failure) context.app.emit('error', toError(failure.cause), context);
  if (!context.headerSent) send(context, failureAnswer(failure));
  // A part of an answer must not look like a whole one, and a second one can't follow.
  else if (!context.res.writableEnded) context.res.destroy();
};
