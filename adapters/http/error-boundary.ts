import type { Context } from 'koa';
import type { Send } from './send';
import { sendFailure } from './send-failure';

/** Where a defect outside of a route ends: an opaque 500 to this client, and the cause to the log. */
export const errorBoundary = async (
  context: Context,
  answer: () => Promise<void>,
  send: Send,
): Promise<void> => {
  try {
    await answer();
  } catch (cause) {
    sendFailure(context, { _tag: 'Defect', cause }, send);
  }
};
