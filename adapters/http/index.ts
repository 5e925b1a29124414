export type { RejectionEntry, Reporter, RequestEntry } from './access-log';
export { adminApplication, type HttpApplication, httpApplication } from './app';
export type { HttpFailure, NotReady } from './errors';
export { exposedHeaders } from './headers';
export type { AuthenticateRequest } from './answer';
export { petOperations } from './pet-operations';
export { openApiDocument } from './pages';
export { type MountOptions, mountPetRoutes } from './routes';
export { type CheckReadiness, healthPaths, type ReadMetrics } from './service-routes';
