/** Exports of `animal-store/http`, for programs that embed it. The app imports `index.ts` instead. */
export { mountPetRoutes, openApiDocument } from './index';
