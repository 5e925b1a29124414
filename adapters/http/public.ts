/** The names of `animal-store/http`, for a host application. The app imports `index.ts`. */
export { mountPetRoutes, openApiDocument } from './index';
