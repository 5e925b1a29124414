export * from './api-keys';
export * from './codec';
export * from './idempotency';
export * from './operations';
export * from './pets';
export * from './ports';
export * from './rules';
