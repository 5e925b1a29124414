export {
  arrivedAt,
  deadlineOf,
  type HttpServer,
  type HttpServerOptions,
  type Listener,
  readBody,
  startHttpServer,
} from './create-http-server';
export { BodyError } from './read-body';
export type { ExchangeObserver } from './request-lifecycle';
export type { ErrorResponse, ServerFailure, ShedRequest } from './server-failure';
export { serverTimeouts } from '../../core/timeouts';
