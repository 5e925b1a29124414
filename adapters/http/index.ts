export * from './public';
export {
  adminApplication,
  type HttpApplication,
  httpApplication,
  type Reporter,
  type RequestEntry,
} from './application/app';
export { type CheckReadiness, healthPaths } from './application/routes';
export type { HttpFailure, NotReady } from './message/failures';
export { rejectionStatuses, unauthorizedReasons } from './operations/errors';
export { petOperations } from './operations/pet-operations';
