const names = ['Bella', 'Rex', 'Luna', 'Max', 'Nala', 'Oscar', 'Molly', 'Charlie', 'Daisy', 'Zoë'];
const titles = ['', '', ' the Brave', ' of the North', ' junior', ' II', ' from Müller’s farm', ' Whiskers'];
const statuses = ['available', 'pending', 'sold', undefined];

/** Category that a double can't hold, since it is past 2^53. */
const largeCategory = 9_007_199_254_740_993n;

/** Returns a number from 0 up to 2^32 that looks random and is always the same for the same seed (lowbias32). */
const mix = (seed) => {
  let hash = seed >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** Returns the JSON text of animal number `index`. A tenth of the animals have a large category. */
export const animalText = (index) => {
  const chance = mix(index);
  const name = names[chance % names.length] + titles[(chance >>> 4) % titles.length];
  const categoryId = chance % 10 === 0 ? largeCategory + BigInt(index) : 1 + ((chance >>> 8) % 500);
  const status = statuses[(chance >>> 16) % statuses.length];
  const member = status === undefined ? '' : `,"status":"${status}"`;
  return `{"name":"${name}","categoryId":${categoryId}${member}}`;
};

const below = (limit) => Math.floor(Math.random() * limit);

const get = (path) => ({ method: 'GET', path: `/v1/pets${path}` });

/**
 * Operations to measure. Each has its title, and makes a request to a store that holds animals 1 to `count`. With
 * `requestsPerConnection`, the load generator opens a new connection after so many requests.
 */
export const operations = {
  get: { title: 'get, random ids', request: (count) => get(`/${1 + below(count)}`) },
  connect: {
    title: 'get, a new connection each',
    request: (count) => get(`/${1 + below(count)}`),
    requestsPerConnection: 1,
  },
  page20: { title: 'first page of 20', request: () => get('') },
  page100: { title: 'page of 100', request: () => get('?limit=100') },
  status: { title: 'page by status', request: () => get(`?status=${statuses[below(3)]}`) },
  deep: {
    title: 'page deep in the list',
    request: (count) => get(`?after=${Math.floor(count / 2) + below(Math.max(1, count / 2 - 100))}`),
  },
  create: {
    title: 'create, durable',
    request: () => ({
      method: 'POST',
      path: '/v1/pets',
      headers: { 'content-type': 'application/json' },
      body: animalText(below(2 ** 31)),
    }),
  },
};
