import type { Knex } from 'knex';

const say = (): void => undefined;

/** Knex would write to the console; whatever fails reaches the caller as a failure with its cause anyway. */
export const silentLog: Knex.Logger = { warn: say, error: say, deprecate: say, debug: say };
