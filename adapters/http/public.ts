/** Public exports of `animal-store/http`. A change here changes the interface of the library. */
export { type MountOptions, mountPetRoutes } from './koa';
export type { ApiKeyOfRequest } from './operations/answer';
export { exposedHeaders } from './operations/headers';
export { openApiDocument } from './operations/openapi-document';
