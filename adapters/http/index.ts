export * from './http-application';
export * from './mount-pet-routes';
export type { ReadMetrics } from './mount-metrics-route';
export type { CheckReadiness } from './mount-public-routes';
export * from './openapi-document';
export type * from './reporter';
export * from './start-http-server';
export type * from './http-failures';
