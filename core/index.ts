export * from './api-keys';
export * from './codec';
export * from './corrections';
export * from './idempotency';
export * from './operations';
export * from './pets';
export * from './ports';
export * from './rules';
