import { expect } from 'chai';
import { Agent } from 'node:http';
import { allPets, type Answer, call, owner } from '../../support/http/client';

/** Record of the creates that clients sent, and of their outcomes. */
export interface Ledger {
  /** Names of the animals in all creates that were sent. Each create has a name of its own. */
  readonly sent: Set<string>;
  /** JSON text of each animal whose create got a 201. */
  readonly acknowledged: Array<string>;
  /** Number of other outcomes, by status and text or by the error. */
  readonly failed: Map<string, number>;
  refusedConnections: number;
}

export const newLedger = (): Ledger => ({
  sent: new Set(),
  acknowledged: [],
  failed: new Map(),
  refusedConnections: 0,
});

/**
 * Sends a create with the API key `owner`, and records the create. With `isKeyed`, the name is also the idempotency
 * key. Rejects if the connection ends without a response.
 */
export const create = async (
  { sent, acknowledged }: Ledger,
  address: string,
  name: string,
  { isKeyed = false, ...options }: { readonly isKeyed?: boolean; readonly agent?: Agent } = {},
): Promise<Answer> => {
  sent.add(name);
  const answer = await call(`${address}/v1/pets`, {
    method: 'POST',
    key: owner,
    headers: isKeyed ? { 'Idempotency-Key': `"${name}"` } : {},
    body: `{"name":"${name}","categoryId":9007199254740993,"status":"sold"}`,
    ...options,
  });
  if (answer.status === 201) acknowledged.push(answer.text);
  return answer;
};

const countFailure = ({ failed }: Ledger, reason: string): void => {
  failed.set(reason, (failed.get(reason) ?? 0) + 1);
};

interface Client {
  /** Beginning of the names of the client's animals. */
  readonly name: string;
  readonly ledger: Ledger;
  readonly address: () => string;
  /** False if each request has a connection of its own. */
  readonly keepAlive?: boolean;
  /**
   * Called when the connection was refused, or closed with the response, so that the caller can use another address.
   */
  readonly turnAway?: () => void;
  readonly isOver: () => boolean;
  readonly onAnswer?: (answer: Answer) => void;
}

/** Alternately creates an animal and lists a page. Sends a request again only if its connection was refused. */
export const useUntilOver = async (client: Client): Promise<void> => {
  const { name, ledger, isOver, keepAlive = true, turnAway = () => undefined } = client;
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  const send = (count: number): Promise<Answer> =>
    count % 2 === 0
      ? create(ledger, client.address(), `${name}-${count}`, { agent })
      : call(`${client.address()}/v1/pets`, { key: owner, agent });
  for (let count = 0; !isOver(); count += 1) {
    let isSent = false;
    while (!isSent && !isOver()) {
      try {
        const answer = await send(count);
        isSent = true;
        if (answer.status !== (count % 2 === 0 ? 201 : 200))
          countFailure(ledger, `${answer.status} ${answer.text}`);
        client.onAnswer?.(answer);
        if (answer.headers.connection === 'close') turnAway();
      } catch (error) {
        const reason = String(error);
        isSent = !reason.includes('ECONNREFUSED');
        if (isSent) countFailure(ledger, reason);
        else ledger.refusedConnections += 1;
        turnAway();
      }
    }
  }
  agent.destroy();
};

const nameOf = (pet: string): string => {
  const name = /"name":"([^"]*)"/.exec(pet)?.[1];
  if (name === undefined) throw new Error(`no name in ${pet}`);
  return name;
};

/**
 * Fails unless every acknowledged animal is stored, no animal is stored twice, and each stored animal was sent. Returns
 * the number of stored animals.
 */
export const expectStored = async (
  service: { readonly address: string; readonly key?: string },
  { acknowledged, sent }: Ledger,
): Promise<number> => {
  const stored = await allPets({ key: owner, ...service });
  const texts = new Set(stored);
  const lost = acknowledged.filter((pet) => !texts.has(pet));
  expect(lost, 'acknowledged, and lost').to.deep.equal([]);
  const names = stored.map(nameOf);
  const sorted = [...names].sort();
  const twice = sorted.filter((name, place) => name === sorted[place + 1]);
  expect(twice, 'stored twice').to.deep.equal([]);
  const unknown = names.filter((name) => !sent.has(name));
  expect(unknown, 'never sent').to.deep.equal([]);
  return stored.length;
};
