import { Agent } from 'node:http';
import { type Answer, call } from '../../../support/http/client';

export const key = 'stopping-key';

/** What clients sent, and what they were answered. */
export interface Ledger {
  readonly sent: Set<string>;
  /** The JSON text of each animal that was answered with a 201. */
  readonly acknowledged: Array<string>;
  /** What else they were answered, or met: by status, or by the error's code. */
  readonly failed: Map<string, number>;
  /** How often an instance took no connection. */
  refused: number;
}

export const newLedger = (): Ledger => ({ sent: new Set(), acknowledged: [], failed: new Map(), refused: 0 });

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

interface Client {
  readonly name: string;
  readonly ledger: Ledger;
  /** Where the next request goes. */
  readonly address: () => string;
  /** The connection was refused, or ended with the answer: another address may do better. */
  readonly turnAway: () => void;
  readonly keepsConnection: boolean;
  readonly isOver: () => boolean;
  readonly onAnswer?: (answer: Answer) => void;
}

/** Creates one animal after another; each is sent again when its connection was refused, and only then. */
export const createUntil = async (client: Client): Promise<void> => {
  const { name, ledger, keepsConnection } = client;
  const agent = new Agent({ keepAlive: keepsConnection, maxSockets: 1 });
  for (let count = 0; !client.isOver(); count += 1) {
    const animal = `${name}-${count}`;
    ledger.sent.add(animal);
    const body = `{"name":"${animal}","categoryId":7}`;
    let isSent = false;
    while (!isSent && !client.isOver()) {
      try {
        const answer = await call(`${client.address()}/v1/pets`, { method: 'POST', key, body, agent });
        isSent = true;
        if (answer.status === 201) ledger.acknowledged.push(answer.text);
        else ledger.failed.set(`${answer.status}`, (ledger.failed.get(`${answer.status}`) ?? 0) + 1);
        client.onAnswer?.(answer);
        if (keepsConnection && answer.headers.connection === 'close') client.turnAway();
      } catch (error) {
        const code = codeOf(error);
        isSent = code !== 'ECONNREFUSED';
        if (isSent) ledger.failed.set(code, (ledger.failed.get(code) ?? 0) + 1);
        else ledger.refused += 1;
        client.turnAway();
      }
    }
  }
  agent.destroy();
};
