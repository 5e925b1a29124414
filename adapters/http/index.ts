export * from './http-application';
export * from './mount-pet-routes';
export type { CheckReadiness } from './mount-public-routes';
export * from './openapi-document';
export * from './start-http-server';
export type * from './http-failures';
