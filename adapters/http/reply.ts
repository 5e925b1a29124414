import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { ParameterizedContext } from 'koa';
import { unavailable } from '../../core';
import { describeFailure, errorBody, type HttpFailure } from './errors';
import type { State } from './state';

export type Headers = Readonly<Record<string, string>>;

/** Response of a handler. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Buffer;
}

export const jsonType = 'application/json';

/** Makes a reply with JSON. Ends a text with a line break, so that a terminal shows its prompt on a new line. */
export const jsonReply = (status: number, body: string | Buffer, headers: Headers = {}): Reply => ({
  status,
  headers: { 'Content-Type': jsonType, ...headers },
  body: typeof body === 'string' ? `${body}\n` : body,
});

export const failureReply = (failure: HttpFailure): Reply => {
  const description = describeFailure(failure);
  return jsonReply(description.status, JSON.stringify(errorBody(description)), description.headers);
};

/** Maximum time to answer a request, from the end of its head, or of a body that ends later. */
export const maxResponseMs = 4_000;

/** Makes the failure of a request whose time is over. */
export const notAnswered = (): HttpFailure =>
  unavailable(new Error(`the request was not answered within ${maxResponseMs / 1_000} s`));

/**
 * Fails as Unavailable once the time of the request is over, and as a Defect if the task rejects. A late task
 * continues, but its outcome is ignored.
 */
const endInTime = (
  { req, state }: ParameterizedContext<State>,
  task: TaskEither<HttpFailure, Reply>,
): Promise<E.Either<HttpFailure, Reply>> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => {
      // While the handler waits for the body, the limits of the HTTP server apply.
      if (!req.complete && state.readsBody === true) timer.refresh();
      else resolve(E.left(notAnswered()));
    }, maxResponseMs);
    if (!req.complete) req.once('end', () => timer.refresh());
    const end = (outcome: E.Either<HttpFailure, Reply>): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    task().then(end, (cause: unknown) => {
      end(E.left({ _tag: 'Defect', cause }));
    });
  });

const write = (context: ParameterizedContext<State>, { status, headers, body }: Reply): void => {
  context.status = status;
  context.set(headers);
  if (headers['ETag'] !== undefined && context.fresh) context.status = 304;
  else context.body = body;
};

/**
 * Answers a request with the reply of a task, or with the response to its failure. A cause of a failure is emitted as
 * the application's `error` event.
 */
export const respond = async (
  context: ParameterizedContext<State>,
  task: TaskEither<HttpFailure, Reply>,
): Promise<void> => {
  const outcome = await endInTime(context, task);
  if (E.isRight(outcome)) {
    write(context, outcome.right);
    return;
  }
  const failure = outcome.left;
  if ('cause' in failure) context.app.emit('error', failure.cause, context);
  context.state.failure = failure;
  write(context, failureReply(failure));
};
