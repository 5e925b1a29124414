import { animal, newPetText } from './animals.js';

const below = (limit) => Math.floor(Math.random() * limit);
const statuses = ['available', 'pending', 'sold'];

const get = (path) => ({ method: 'GET', path: `/v1/pets${path}` });

/** What is measured: each makes one request to a store that holds animals 1 to `count`. */
export const operations = {
  get: (count) => get(`/${1 + below(count)}`),
  page20: () => get(''),
  page100: () => get('?limit=100'),
  status: () => get(`?status=${statuses[below(statuses.length)]}`),
  deep: (count) => get(`?after=${Math.floor(count / 2) + below(Math.max(1, Math.floor(count / 2) - 100))}`),
  create: () => ({
    method: 'POST',
    path: '/v1/pets',
    headers: { 'content-type': 'application/json' },
    body: newPetText(animal(below(2 ** 31))),
  }),
};

/** How each operation is called in tables. */
export const operationNames = {
  get: 'get, random ids',
  page20: 'first page of 20',
  page100: 'page of 100',
  status: 'page by status',
  deep: 'page deep in the list',
  create: 'create, durable',
};
