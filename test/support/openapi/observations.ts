import * as t from 'io-ts';
import Koa from 'koa';
import { mountPetRoutes } from '../../../adapters/http';
import { petOperations } from '../../../adapters/http/operations/pet-operations';
import type { PetOperation } from '../../../adapters/http/operations/pet-request';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import { decodeOrThrow, storeOpener } from '../../../core';
import { petRules } from '../../../core/rules';
import { servePlainly } from '../http/listen';
import { type RawAnswer, rawExchange } from '../http/raw-connection';
import { byKey } from '../http/start-server';
import {
  common,
  create,
  firstCreate,
  json,
  type Mode,
  type Program,
  provocations,
  requestText,
  rex,
  startProgram,
} from './provocations';
import { parameterTexts } from './samples';

/** Response of the program. `failure` is the name of the failure that the request provoked, if any. */
export interface Observation {
  readonly operationId: string;
  readonly failure?: string;
  readonly answer: RawAnswer;
}

/** Parameter that the program takes, and texts that the program accepts as its value. */
export interface ObservedParameter {
  readonly operationId: string;
  readonly name: string;
  readonly place: 'path' | 'query' | 'header';
  readonly accepted: ReadonlyArray<string>;
}

export interface Observations {
  readonly answers: ReadonlyArray<Observation>;
  readonly parameters: ReadonlyArray<ObservedParameter>;
  /** Operations that refuse a request without a body. */
  readonly needingBody: ReadonlyArray<string>;
  /** Number of animals that the program returns for a request without `limit`. */
  readonly defaultLimit: number;
  /** Order of the animals that the program returns for a request without `order`. */
  readonly defaultOrder: string;
}

/** Sends each operation an incomplete head, and observes the response at the timeout, after 10 s. */
const observeTimeouts = ({ send }: Program): Promise<ReadonlyArray<Observation>> =>
  Promise.all(
    Object.entries(provocations).map(async ([operationId, [request]]) => {
      const answer = await send(request.replace(/\r\n\r\n.*$/s, '\r\n'));
      return { operationId, failure: 'RequestTimeout', answer };
    }),
  );

const observeAnswers = async ({ send }: Program, isLimited: boolean): Promise<ReadonlyArray<Observation>> => {
  const answers: Array<Observation> = [];
  const observe = async (operationId: string, request: string, failure?: string, mode?: Mode) => {
    answers.push({
      operationId,
      ...(failure !== undefined && { failure }),
      answer: await send(request, mode),
    });
  };
  await observe('createPet', firstCreate);
  for (let count = 0; count < 2; count += 1) {
    await observe('createPet', create(JSON.stringify(rex), { 'Idempotency-Key': 'one' }));
  }
  for (const [operationId, [request, own]] of Object.entries(provocations)) {
    if (operationId !== 'createPet') await observe(operationId, request);
    for (const [failure, { request: failing, mode }] of Object.entries({ ...own, ...common(request) })) {
      if (mode !== 'isExhausted' || isLimited) await observe(operationId, failing, failure, mode);
    }
  }
  await observe('listPets', requestText('GET', '/v1/pets?limit=100&staus=sold'));
  await observe('createPet', create(JSON.stringify({ ...rex, staus: 'sold' })));
  return answers;
};

/** Observes a response of the routes when they are mounted in the Koa application of another project. */
const observeMounted = async (): Promise<Observation> => {
  const app = new Koa();
  mountPetRoutes(app, storeOpener({ pets: inMemoryPetRepository(), authenticate: byKey }));
  const { address, close } = await servePlainly(app.callback());
  const answer = await rawExchange(address, requestText('GET', '/v1/pets'));
  await close();
  return { operationId: 'listPets', answer };
};

/** Names to try as query parameters, because the program ignores a parameter that it does not know. */
const queryNames = [
  ...Object.keys(petRules),
  ...['limit', 'after', 'before', 'offset', 'page', 'cursor', 'order', 'sort', 'fields', 'q'],
];

type Candidate = Omit<ObservedParameter, 'accepted'> & { readonly requestWith: (text: string) => string };

/** Returns the parameters that an operation may have. `requestWith` makes a request with a text as the parameter. */
const candidatesOf = ([operationId, { method, path }]: readonly [
  string,
  PetOperation,
]): ReadonlyArray<Candidate> => {
  const [placeholder, inPath] = /:(\w+)/.exec(path) ?? [];
  const options = method === 'POST' ? { headers: json, body: JSON.stringify(rex) } : {};
  const requestTo = (target: string, headers = {}): string =>
    requestText(method, target, { ...options, headers: { ...options.headers, ...headers } });
  if (placeholder !== undefined && inPath !== undefined) {
    const requestWith = (text: string) => requestTo(path.replace(placeholder, encodeURIComponent(text)));
    return [{ operationId, name: inPath, place: 'path', requestWith }];
  }
  return [
    ...queryNames.map((name) => ({
      operationId,
      name,
      place: 'query' as const,
      requestWith: (text: string) => requestTo(`${path}?${name}=${encodeURIComponent(text)}`),
    })),
    {
      operationId,
      name: 'Idempotency-Key',
      place: 'header',
      requestWith: (text) => requestTo(path, { 'Idempotency-Key': text }),
    },
  ];
};

/** Texts that no parameter accepts. If the program accepts a request with such a text, it ignores the parameter. */
const invalidTexts = { path: 'x', query: '\0', header: 'a,b' };

const observeParameters = async ({ send }: Program): Promise<ReadonlyArray<ObservedParameter>> => {
  const isAccepted = async (request: string): Promise<boolean> => (await send(request)).status < 400;
  const observed: Array<ObservedParameter> = [];
  for (const { requestWith, ...parameter } of Object.entries(petOperations).flatMap(candidatesOf)) {
    if (await isAccepted(requestWith(invalidTexts[parameter.place]))) continue;
    const accepted: Array<string> = [];
    for (const text of parameterTexts(parameter.place))
      if (await isAccepted(requestWith(text))) accepted.push(text);
    observed.push({ ...parameter, accepted });
  }
  return observed;
};

/** Sends requests of all kinds to the program. Takes 10 s, because it waits for timeouts. */
export const observeProgram = async (): Promise<Observations> => {
  const programs = await Promise.all([startProgram(false), startProgram(true)]);
  const [unlimited, limited] = programs;
  const timeouts = observeTimeouts(unlimited);
  const answers = [await observeAnswers(unlimited, false), await observeAnswers(limited, true)].flat();
  const parameters = await observeParameters(unlimited);
  const needingBody: Array<string> = [];
  for (const [operationId, { method, path }] of Object.entries(petOperations)) {
    if (method === 'GET') continue;
    const { status } = await unlimited.send(requestText(method, path, { headers: json }));
    if (status === 400) needingBody.push(operationId);
  }
  const { body } = await unlimited.send(requestText('GET', '/v1/pets'));
  const page = decodeOrThrow(t.array(t.type({ id: t.number })), JSON.parse(body));
  const isAscending = page.every(({ id }, place) => place === 0 || id > (page[place - 1]?.id ?? id));
  answers.push(await observeMounted(), ...(await timeouts));
  await Promise.all(programs.map(({ stop }) => stop()));
  return {
    ...{ answers, parameters, needingBody },
    defaultLimit: page.length,
    defaultOrder: isAscending ? 'asc' : 'other',
  };
};
