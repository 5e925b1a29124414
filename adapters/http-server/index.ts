export { arrivedAt, deadlineOf, type HttpServer, readBody, startHttpServer } from './create-http-server';
export type {
  ErrorResponse,
  ExchangeObserver,
  HttpServerOptions,
  Listener,
  ServerFailure,
  ShedRequest,
} from './options';
export { BodyError } from './read-body';
