/** Public exports of `animal-store/http`. A change here changes the interface of the library. */
export {
  type AuthenticateRequest,
  exposedHeaders,
  type MountOptions,
  mountPetRoutes,
  openApiDocument,
} from './index';
