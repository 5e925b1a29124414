import assert from 'node:assert/strict';

const newPet = (text) => ({ method: 'POST', path: '/v1/pets', body: text });
const large = '9223372036854775807';

const requestsFor = (animals) => [
  { path: '/v1/pets' },
  { path: '/v1/pets?limit=100' },
  { path: '/v1/pets?limit=3&status=sold' },
  { path: `/v1/pets?status=pending&limit=5&after=${Math.floor(animals / 2)}` },
  { path: `/v1/pets?limit=100&after=${animals - 50}` },
  { path: `/v1/pets?after=${large}` },
  ...Array.from({ length: 40 }, (_, index) => ({ path: `/v1/pets/${1 + index}` })),
  { path: `/v1/pets/${large}` },
  { path: '/v1/pets/one', onlyStatus: true },
  { path: '/v1/pets?limit=0', onlyStatus: true },
  { path: '/v1/pets?limit=101', onlyStatus: true },
  { path: '/v1/pets?limit=1e1', onlyStatus: true },
  { path: '/v1/pets?status=lost', onlyStatus: true },
  { path: '/v1/pets?after=9223372036854775808', onlyStatus: true },
  { path: '/v1/pets', key: 'wrong', onlyStatus: true },
  { path: '/v1/pets', key: '', onlyStatus: true },
  { path: '/v1/cats', onlyStatus: true },
  newPet(`{"name":"Åsa \\"the\\" cat","categoryId":${large},"status":"sold"}`),
  newPet('{"name":"","categoryId":-9223372036854775808}'),
  newPet('{"name":"Rex","categoryId":7,"id":3,"colour":"red"}'),
  { ...newPet('{"name":"Rex"}'), onlyStatus: true },
  { ...newPet('{"name":"Rex","categoryId":"7"}'), onlyStatus: true },
  { ...newPet('{"name":"Rex","categoryId":9223372036854775808}'), onlyStatus: true },
  { ...newPet('{"name":"Rex","categoryId":7,"status":"lost"}'), onlyStatus: true },
  { ...newPet('{"name":"Rex",'), onlyStatus: true },
  { path: `/v1/pets/${animals + 1}` },
  { path: `/v1/pets?after=${animals}` },
];

/** Makes links comparable, which may be relative, with parameters in any order and default values. */
const canonicalLink = (link, path) => {
  if (link === null) return null;
  const [, address, rest] = /^<([^>]*)>(.*)$/.exec(link);
  const { pathname, searchParams } = new URL(address, `http://localhost${path}`);
  if (searchParams.get('limit') === '20') searchParams.delete('limit');
  searchParams.sort();
  return `${pathname}?${searchParams}${rest}`;
};

const answerOf = async (target, { method = 'GET', path, body, key = target.key, onlyStatus = false }) => {
  const response = await fetch(target.address + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const { status, headers } = response;
  if (status >= 400) assert.equal(JSON.parse(text).status, status, `${path}: no Error body: ${text}`);
  if (onlyStatus) return { status };
  const link = canonicalLink(headers.get('link'), path);
  const type = headers.get('content-type').split(';', 1)[0];
  return { status, type, link, text: status >= 400 ? '' : text };
};

/** Throws if a target does not answer like the first one. Adds three animals to each. */
export const selfCheck = async (running, animals) => {
  const [[firstName, first], ...others] = Object.entries(running);
  for (const request of requestsFor(animals)) {
    const expected = await answerOf(first, request);
    for (const [name, target] of others) {
      const what = `${name} does not answer like ${firstName}: ${JSON.stringify(request)}`;
      assert.deepEqual(await answerOf(target, request), expected, what);
    }
  }
};
