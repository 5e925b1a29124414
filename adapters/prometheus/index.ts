export * from './prometheus-metrics';
export type { ReadServiceStatus } from './service-metrics';
