export { adminApplication, type HttpApplication, httpApplication } from './app';
export type { HttpFailure, NotReady } from './errors';
export { openApiDocument } from './openapi';
export { petOperations } from './operations';
export type { AuthenticateRequest } from './authentication';
export {
  type CheckReadiness,
  healthPaths,
  type MountOptions,
  mountPetRoutes,
  type ReadMetrics,
} from './routes';
export type { RejectionRecord, Reporter, RequestRecord } from './access-log';
