import Router from '@koa/router';
import Koa from 'koa';
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { pino } from 'pino';
import { animalText } from '../lib/operations.js';

// Shows the maximum rate of a service on Koa: Koa and its router with a request id, a log line and constant responses,
// but without keys, checks and a database.
const pet = (id) => `{"id":${id},${animalText(id).slice(1)}`;
const page = (count) => `[${Array.from({ length: count }, (_, index) => pet(index + 1)).join(',')}]`;
const onePet = pet(1);
const pages = { 20: page(20), 100: page(100) };

const logger = pino({ base: null }, pino.destination({ dest: 1, sync: false }));
const router = new Router();
const answer = (context, text) => {
  context.type = 'application/json';
  context.body = text;
};
router.get('/v1/pets', (context) => answer(context, pages[context.query.limit ?? 20]));
router.get('/v1/pets/:petId', (context) => answer(context, onePet));

const app = new Koa();
app.use(async (context, next) => {
  const requestId = context.get('X-Request-Id') || randomUUID();
  const beganAt = performance.now();
  context.set('X-Request-Id', requestId);
  await next();
  const { method, path, status } = context;
  const milliseconds = performance.now() - beganAt;
  logger.info({ requestId, method, path, status, milliseconds }, 'request');
});
app.use(router.routes());

const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => {
  process.stderr.write(`serves http://127.0.0.1:${server.address().port} for the benchmark\n`);
});
