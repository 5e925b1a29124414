import { once } from 'node:events';
import { Server as NetServer } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import type { NodeServer, serveConnections } from './serve-connections';
import { serverTimeouts } from '../../core/timeouts';

/**
 * Accepts the established connections before the close, since the kernel would reset them. Ends after a tick of the event loop
 * that accepts none and is short, so that almost none can arrive before the close.
 */
export const drainAcceptBacklog = async (accepted: () => number): Promise<void> => {
  const giveUpAt = performance.now() + serverTimeouts.acceptBacklogMs;
  for (;;) {
    const before = accepted();
    const startedAt = performance.now();
    await immediate();
    const now = performance.now();
    if ((accepted() === before && now - startedAt < serverTimeouts.quietTurnMs) || now > giveUpAt) return;
  }
};

export const closeAll = async (
  server: NodeServer,
  { open }: ReturnType<typeof serveConnections>,
): Promise<void> => {
  const closed = once(server, 'close');
  // http.Server's own close would also close connections.
  NetServer.prototype.close.call(server);
  const closeIdle = setInterval(() => {
    // Node counts a connection as idle while its response is unread or its request is unparsed.
    const isBusy = [...open].some(({ isIdle, isClosing }) => !isIdle || isClosing);
    if (!isBusy) server.closeIdleConnections();
  }, serverTimeouts.idleCheckMs);
  // Node counts a connection that has sent nothing as busy. Its first bytes may still be in the kernel.
  const closeSilent = setTimeout(() => {
    for (const { socket } of open) if (socket.bytesRead === 0) socket.destroy();
  }, serverTimeouts.firstByteMs);
  const closeRest = setTimeout(() => {
    for (const { socket } of open) socket.destroy();
  }, serverTimeouts.stopMs);
  await closed;
  // The server emits close before its last socket does.
  while (open.size > 0) await immediate();
  clearInterval(closeIdle);
  clearTimeout(closeSilent);
  clearTimeout(closeRest);
};
