export { adminApplication, type HttpApplication, httpApplication } from './app';
export type { HttpFailure, NotReady } from './errors';
export { type AuthenticateRequest, petOperations } from './pet-operations';
export { openApiDocument } from './pages';
export { type MountOptions, mountPetRoutes } from './routes';
export { type CheckReadiness, healthPaths, type ReadMetrics } from './service-routes';
export type { RejectionRecord, Reporter, RequestRecord } from './request-records';
