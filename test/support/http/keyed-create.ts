import { type Answer, call } from './call';

export const owner = 'owner-key';
export const stranger = 'stranger-key';

/** The settings under which both keys are known. */
export const environmentOf = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  API_KEYS: `${owner},${stranger}`,
  LOG_LEVEL: 'silent',
});

/** A new animal's JSON text. */
export const newPet = (name: string): string => `{"name":"${name}","categoryId":9007199254740993}`;

/** Creates an animal under an idempotency key. */
export const createUnder = (
  address: string,
  idempotencyKey: string,
  body: string,
  key: string = owner,
): Promise<Answer> =>
  call(`${address}/v1/pets`, {
    method: 'POST',
    key,
    headers: { 'Idempotency-Key': `"${idempotencyKey}"` },
    body,
  });

/** Whether it is an earlier answer. */
export const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';
