import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Context } from 'koa';
import type { Answer } from './answer';
import { errorBoundary } from './error-boundary';
import type { HttpFailure } from './http-failures';
import type { Send } from './send';
import { sendAnswer } from './send-answer';
import { sendFailure } from './send-failure';

/** Runs what a request comes to, and sends how it ended. */
export const respond = (
  context: Context,
  outcome: TaskEither<HttpFailure, Answer>,
  send: Send = sendAnswer,
): Promise<void> =>
  errorBoundary(
    context,
    async () => {
      const ended = await outcome();
      if (E.isLeft(ended)) sendFailure(context, ended.left, send);
      else send(context, ended.right);
    },
    send,
  );
