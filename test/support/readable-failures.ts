import { inspect } from 'node:util';

const survivesJson = (value: unknown): boolean => {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
};

/**
 * Mocha's workers hand failures over as JSON, which knows no bigint: a failure that holds one would take the report
 * of its whole file away. What JSON refuses is handed over in words.
 */
export const mochaHooks: Mocha.RootHookObject = {
  afterEach(this: Mocha.Context) {
    const failure = this.currentTest?.err;
    if (failure === undefined) return;
    for (const name of Object.getOwnPropertyNames(failure)) {
      const value: unknown = Reflect.get(failure, name);
      if (!survivesJson(value)) Reflect.set(failure, name, inspect(value, { depth: 8, sorted: true }));
    }
  },
};
