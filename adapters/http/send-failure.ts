import type { Context } from 'koa';
import { failureAnswer } from './failure-answer';
import type { HttpFailure } from './http-failures';
import { sendAnswer } from './send-answer';

/** Answers with a failure; what caused it, where something did, is emitted as the Koa application's `error`. */
export const sendFailure = (context: Context, failure: HttpFailure): void => {
  if ('cause' in failure) context.app.emit('error', failure.cause, context);
  sendAnswer(context, failureAnswer(failure));
};
