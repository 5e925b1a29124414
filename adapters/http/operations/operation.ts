import type { TaskEither } from 'fp-ts/TaskEither';
import type { AnimalStore } from '../../../core';
import type { HttpRequest } from '../protocol/http-request';
import type { HttpFailure } from '../responses/http-failures';
import type { HttpResponse } from '../responses/http-response';

/** What a path says in the places of its template's parameters. */
export type PathParameters = Readonly<Record<string, string>>;

/** What an authenticated request comes to: it can't be called without the store that a key has opened. */
export type Operation = (
  request: HttpRequest,
  store: AnimalStore,
  parameters: PathParameters,
) => TaskEither<HttpFailure, HttpResponse>;
