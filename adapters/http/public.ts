/** Exports of `animal-store/http`, for programs that embed the routes. The app imports `index.ts` instead. */
export { type AuthenticateRequest, type MountOptions, mountPetRoutes, openApiDocument } from './index';
