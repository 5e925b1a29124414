/** The names of `animal-store/http-server`, for embedders. The app imports `index.ts`. */
export { arrivedAt, BodyError, deadlineOf, type HttpServer, readBody, startHttpServer } from './index';
