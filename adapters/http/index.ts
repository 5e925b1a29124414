export { adminApplication, type HttpApplication, httpApplication } from './app';
export type { HttpFailure, NotReady } from './errors';
export { openApiDocument, openApiServiceDocument } from './openapi/documents';
export { type CheckReadiness, healthPaths, petOperations } from './operations';
export { mountPetRoutes, type ReadMetrics } from './routes';
export type { RejectionRecord, Reporter, RequestRecord } from './access-log';
