export * from './in-memory-quota';
export * from './postgres-quota';
