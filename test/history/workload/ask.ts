import { type Agent, type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { parseNextLink } from '../../support/http/client';
import type { Answer, Pet, Request } from '../history';
import { key } from '../set-ups/instance';

/** Keeps one value for each animal, however often it is read. */
const known = new Map<string, Pet>();

const petFrom = (text: string): Pet => {
  const before = known.get(text);
  if (before !== undefined) return before;
  const [, id] = /^\{"id":(\d+),/.exec(text) ?? [];
  if (id === undefined) throw new Error(`no animal: ${text}`);
  const status = /"status":"(\w+)"/.exec(text)?.[1];
  const pet = { id: BigInt(id), body: text.replace(/"id":\d+,/, ''), ...(status && { status }) };
  known.set(text, pet);
  return pet;
};

/** Forgets the animals of an earlier run. */
export const forgetAnimals = (): void => {
  known.clear();
};

const pathOf = (asked: Request): string => {
  if (asked.type === 'create') return '/v1/pets';
  if (asked.type === 'get') return `/v1/pets/${asked.id}`;
  const status = asked.status === undefined ? '' : `&status=${asked.status}`;
  return `/v1/pets?limit=${asked.limit}&after=${asked.after}${status}`;
};

const nextOf = (headers: IncomingHttpHeaders): { readonly next?: bigint } => {
  const { link } = headers;
  const target = parseNextLink(Array.isArray(link) ? link.join(', ') : link);
  const after = target === undefined ? undefined : /[?&]after=(\d+)/.exec(target)?.[1];
  return after === undefined ? {} : { next: BigInt(after) };
};

const answerOf = (asked: Request, status: number, headers: IncomingHttpHeaders, text: string): Answer => {
  if (status !== (asked.type === 'create' ? 201 : 200)) return { type: 'refusal', status, text };
  if (asked.type === 'list') {
    const pets = (text.slice(1, -1).match(/\{[^{}]*\}/g) ?? []).map(petFrom);
    return { type: 'page', pets, ...nextOf(headers) };
  }
  return { type: 'pet', pet: petFrom(text), isReplay: headers['idempotent-replayed'] === 'true' };
};

/** In milliseconds: far longer than any answer may take, so that a late one is seen as such. */
const longestWait = 30_000;

/** Sends a request; never rejects. */
export const ask = (address: string, asked: Request, agent: Agent): Promise<Answer> =>
  new Promise((resolve) => {
    const body = asked.type === 'create' ? asked.body : undefined;
    const idempotencyKey = asked.type === 'create' ? asked.key : undefined;
    const sent = httpRequest(`${address}${pathOf(asked)}`, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': `"${idempotencyKey}"` }),
      },
    });
    const none = (error: Error): void => {
      resolve({ type: 'none', reason: error.message });
    };
    sent.setTimeout(longestWait, () => sent.destroy(new Error(`nothing came for ${longestWait} ms`)));
    sent.once('error', none);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', none);
      response.once('end', () => {
        resolve(answerOf(asked, response.statusCode ?? 0, response.headers, text));
      });
    });
    sent.end(body);
  });
