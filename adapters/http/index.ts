export type { RejectionEntry, Reporter, RequestEntry } from './service/report-requests';
export { adminApplication, type HttpApplication, httpApplication } from './service/app';
export { type HttpFailure, type NotReady, rejectionStatuses, unauthorizedReasons } from './operations/errors';
export { exposedHeaders } from './operations/headers';
export type { ApiKeyOfRequest } from './operations/answer';
export { petOperations } from './operations/pet-operations';
export { openApiDocument } from './operations/openapi-document';
export { type MountOptions, mountPetRoutes } from './koa';
export { type CheckReadiness, healthPaths, type ReadMetrics } from './service/service-routes';
