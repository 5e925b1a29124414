import type { Middleware } from '../context';
import { fail } from '../respond';

/** Turns a thrown error into an opaque 500. Expected failures are values and are never thrown. */
export const errors: Middleware = async (context, next) => {
  try {
    await next();
  } catch (cause) {
    fail(context, { _tag: 'Defect', cause });
  }
};
