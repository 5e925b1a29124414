import type { Middleware } from 'koa';
import { sendFailure } from './send-failure';

/** The one place where a defect ends: an opaque 500 to this client, and the cause to the log. */
export const errorBoundary: Middleware = async (context, next) => {
  try {
    await next();
  } catch (cause) {
    sendFailure(context, { _tag: 'Defect', cause });
  }
};
