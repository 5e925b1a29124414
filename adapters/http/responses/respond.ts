import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Context } from 'koa';
import type { Answer } from './answer';
import type { HttpFailure } from './http-failures';
import type { Send } from './send';
import { sendAnswer } from './send-answer';
import { sendFailure } from './send-failure';

/** Runs what a request comes to, and sends how it ended; a defect too ends here, as an opaque 500. */
export const respond = async (
  context: Context,
  outcome: TaskEither<HttpFailure, Answer>,
  send: Send = sendAnswer,
): Promise<void> => {
  try {
    const ended = await outcome();
    if (E.isLeft(ended)) sendFailure(context, ended.left, send);
    else send(context, ended.right);
  } catch (cause) {
    sendFailure(context, { _tag: 'Defect', cause }, send);
  }
};
