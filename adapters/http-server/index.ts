export { type HttpServer, startHttpServer } from './create-http-server';
export type {
  ErrorResponse,
  ExchangeObserver,
  HttpServerOptions,
  Listener,
  ServerFailure,
  ShedRequest,
} from './options';
export { arrivedAt, deadlineOf, readBody } from './request-functions';
