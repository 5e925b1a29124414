/**
 * Returns a property of any value, or undefined. Works for objects of other JavaScript realms, such as frames, which
 * `instanceof` does not recognize.
 */
export const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

export const isFunction = (input: unknown): input is (...values: ReadonlyArray<unknown>) => unknown =>
  typeof input === 'function';
