import { connect } from 'node:net';

/** An answer as it came: animals are compared as text, to the digit. */
export interface Answered {
  readonly status: number;
  readonly text: string;
}

interface Caller {
  readonly address: string;
  readonly key: string;
}

const answered = async (response: Response): Promise<Answered> => ({
  status: response.status,
  text: await response.text(),
});

/** Adds an animal; `json` is the body as it is sent. */
export const createPet = async ({ address, key }: Caller, json: string): Promise<Answered> =>
  answered(
    await fetch(`${address}/v1/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: json,
    }),
  );

export const listPets = async ({ address, key }: Caller, query = ''): Promise<Answered> =>
  answered(await fetch(`${address}/v1/pets${query}`, { headers: { Authorization: `Bearer ${key}` } }));

/** Every animal's own JSON text, in the order of the list, read page by page. */
export const allPets = async (caller: Caller): Promise<ReadonlyArray<string>> => {
  const pets: Array<string> = [];
  let after = '0';
  for (;;) {
    const { text } = await listPets(caller, `?limit=100&after=${after}`);
    const page = text.slice(1, -1).match(/\{[^{}]*\}/g) ?? [];
    const last = page.at(-1);
    if (last === undefined) return pets;
    pets.push(...page);
    after = idOf(last);
  }
};

/** The digits of an animal's id, from its JSON text. */
export const idOf = (pet: string): string => {
  const id = /"id":(-?\d+)/.exec(pet)?.[1];
  if (id === undefined) throw new Error(`no id in ${pet}`);
  return id;
};

/** Whether nothing takes connections at an address any more. */
export const isRefused = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => {
      resolve(true);
    });
  });
