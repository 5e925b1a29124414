import type { TaskEither } from 'fp-ts/TaskEither';
import type { Context } from 'koa';
import type { AnimalStore } from '../../../core';
import type { Answer } from '../responses/answer';
import type { HttpFailure } from '../responses/http-failures';

/** What an authenticated request comes to: it can't be called without the store that a key has opened. */
export type Handler = (context: Context, store: AnimalStore) => TaskEither<HttpFailure, Answer>;
