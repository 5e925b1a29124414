/** Exports of `animal-store/http-server`, for programs that embed the server. The app imports `index.ts` instead. */
export { deadlineOf, type HttpServer, readBody, startHttpServer } from './index';
