import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { processTimeouts } from '../../core/timeouts';

/**
 * Returns the body of a response, or undefined if the request fails; doctor.ts calls it. Does not use `fetch`, which
 * refuses many ports (Fetch Standard, "port blocking").
 */
export const getBody = async (host: string, port: number, path: string): Promise<string | undefined> => {
  const signal = AbortSignal.timeout(processTimeouts.doctorMs);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host, port, path, agent: false, signal }, resolve).on('error', reject);
    });
    return await text(response);
  } catch {
    return undefined;
  }
};
