// Adds 100 animals and lists all of them: node openapi-fetch.mjs http://127.0.0.1:3000 KEY
import { parse, stringify } from 'lossless-json';
import createClient from 'openapi-fetch';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

const [baseUrl, apiKey] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${apiKey}` };
const client = createClient({ baseUrl: `${baseUrl}/v1`, headers, bodySerializer: stringify });

// Retries for 30 seconds after a restart, a rate limit or a lost response, and waits as long as `Retry-After` says.
const withRetries = async (call) => {
  const giveUpAt = Date.now() + 30_000;
  for (let attempts = 1; ; attempts += 1) {
    const answer = await call(AbortSignal.timeout(10_000)).catch((error) => ({ error }));
    if (answer.response?.ok) return answer;
    const { status = 0, headers } = answer.response ?? {};
    const isInFlight = answer.error?.code === 'idempotency_key_in_flight';
    const isTransient = [0, 408, 429, 502, 503, 504].includes(status) || isInFlight;
    if (!isTransient || Date.now() > giveUpAt)
      throw new Error(`the service answered ${status}`, { cause: answer.error });
    const retryAfterMs = 1_000 * Number(headers?.get('Retry-After') ?? 0);
    await setTimeout(retryAfterMs + Math.random() * Math.min(5_000, 200 * 2 ** attempts));
  }
};

for (let number = 1; number <= 100; number += 1) {
  const headers = { 'Idempotency-Key': `"${randomUUID()}"` };
  const body = { name: `animal ${number}`, categoryId: 9007199254740993n };
  await withRetries((signal) => client.POST('/pets', { body, headers, parseAs: 'text', signal }));
}

let count = 0;
let query = { limit: 100 };
while (query !== undefined) {
  const { data, response } = await withRetries((signal) =>
    client.GET('/pets', { params: { query }, parseAs: 'text', signal }),
  );
  const pets = parse(data, null, BigInt);
  count += pets.filter(({ categoryId }) => categoryId === 9007199254740993n).length;
  const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
  query = next === undefined ? undefined : Object.fromEntries(new URL(next, response.url).searchParams);
}
console.log(count);
