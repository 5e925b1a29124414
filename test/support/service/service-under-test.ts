import { expect } from 'chai';
import { inMemory, stores, type TestStore } from '../databases/databases';
import { connectTo, headOf, type RawConnection, readHttpResponses } from '../http/raw-connection';
import { checkAnswer, type CheckedAnswer } from '../openapi/checked-answer';
import { fsyncWarning } from '../postgres/postgres-server';
import { serveInProcess } from './serve-in-process';
import type { RunningService } from './service-process';

/** Method and target of a request, which determine how its response is checked. */
export type Asked = Readonly<{ method: string; target: string }>;

export type RequestOptions = Readonly<{
  /** API key of the request. With null, the request has no Authorization header. */
  key?: string | null;
  headers?: Readonly<Record<string, string>>;
  /** Body of the request. A string is encoded as UTF-8. */
  body?: string | Buffer;
}>;

export const apiKeys = { first: 'first-key-of-the-tests', second: 'second-key-of-the-tests' } as const;

/** Service in this process on one kind of store. Checks each of its responses against the OpenAPI document. */
export class ServiceUnderTest {
  readonly #store: TestStore;
  #running: RunningService | undefined;
  #remove: () => Promise<void> = () => Promise.resolve();
  readonly #seen: Array<readonly [requestId: string | undefined, status: number]> = [];

  constructor(store: TestStore) {
    this.#store = store;
  }

  get #service(): RunningService {
    if (this.#running === undefined) throw new Error('the service is not started');
    return this.#running;
  }

  get logLines(): ReadonlyArray<string> {
    return this.#service.stdout().trim().split('\n');
  }

  async start() {
    const { databaseUrl, remove } = await this.#store.open();
    this.#remove = remove;
    this.#running = await serveInProcess({
      DATABASE_URL: databaseUrl,
      API_KEYS: Object.values(apiKeys).join(','),
      // `stop` expects a log line for each request, and requests to health checks are logged only at level debug.
      LOG_LEVEL: 'debug',
    }).catch(async (reason: unknown) => {
      await remove();
      throw reason;
    });
  }

  /** Stops the service. Fails unless the log has exactly one line with the right status for each response. */
  async stop() {
    const { code, stdout: log, stderr } = await this.#service.stop();
    await this.#remove();
    expect(code, 'exit code').to.equal(0);
    expect(stderr.replace(fsyncWarning, '')).to.not.match(/error|warning|deprecat/i);
    const logged = this.logLines.map((line): unknown => JSON.parse(line));
    Object.values(apiKeys).forEach((key) => {
      expect(log.includes(key), `the key ${key} in the log`).to.equal(false);
    });
    const statuses = new Map<unknown, Array<unknown>>();
    logged.forEach((line) => {
      expect(line).to.be.an('object');
      if (typeof line !== 'object' || line === null || !('requestId' in line) || !('status' in line)) return;
      statuses.set(line.requestId, [...(statuses.get(line.requestId) ?? []), line.status]);
    });
    const otherwiseLogged = this.#seen.filter(
      ([requestId, status]) => JSON.stringify(statuses.get(requestId)) !== JSON.stringify([status]),
    );
    expect(otherwiseLogged, 'answers without just one log line').to.deep.equal([]);
  }

  connect(): RawConnection {
    return connectTo(this.#service.address);
  }

  /**
   * Parses and checks all responses on a connection, in the order of the requests. Leaves out interim responses (1xx).
   */
  async answersOn(
    connection: RawConnection,
    asked: ReadonlyArray<Asked>,
  ): Promise<ReadonlyArray<CheckedAnswer>> {
    const responses = readHttpResponses(
      await connection.closed(),
      asked.map(({ method }) => method),
    );
    return responses
      .filter(({ status }) => status >= 200)
      .map((response, index) => {
        const answer = checkAnswer(asked[index] ?? { method: '', target: '' }, response);
        this.#seen.push([answer.header('X-Request-Id'), answer.status]);
        return answer;
      });
  }

  /** Sends bytes on a new connection. The last request must make the server close the connection. */
  async exchange(bytes: string | Buffer, asked: ReadonlyArray<Asked>): Promise<ReadonlyArray<CheckedAnswer>> {
    const connection = this.connect();
    connection.send(bytes);
    return this.answersOn(connection, asked);
  }

  async exchangeOne(bytes: string | Buffer, asked: Asked): Promise<CheckedAnswer> {
    const [answer] = await this.exchange(bytes, [asked]);
    if (answer === undefined) throw new Error('no answer');
    return answer;
  }

  request(method: string, target: string, options: RequestOptions = {}): Promise<CheckedAnswer> {
    return this.exchangeOne(requestBytes(method, target, options), { method, target });
  }

  get(target: string, options: RequestOptions = {}): Promise<CheckedAnswer> {
    return this.request('GET', target, options);
  }

  create(body: string | Buffer, { headers = {}, ...options }: RequestOptions = {}): Promise<CheckedAnswer> {
    return this.request('POST', '/v1/pets', {
      ...options,
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
  }

  /** Adds an animal, and fails unless the response is a 201. */
  async add(pet: Readonly<Record<string, unknown>>, options: RequestOptions = {}) {
    const answer = await this.create(JSON.stringify({ name: 'Rex', categoryId: 7, ...pet }), options);
    expect(answer.status, answer.text).to.equal(201);
    return answer.pet();
  }
}

/** Returns the bytes of a request with `Connection: close`. Header values are encoded as Latin-1. */
export const requestBytes = (
  method: string,
  target: string,
  { key = apiKeys.first, headers = {}, body }: RequestOptions = {},
): Buffer => {
  const content = body === undefined ? Buffer.alloc(0) : Buffer.from(body);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...(key === null ? [] : [`Authorization: Bearer ${key}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${content.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
};

const describeOn = (store: TestStore, title: string, tests: (service: ServiceUnderTest) => void): void => {
  describe(title, () => {
    const service = new ServiceUnderTest(store);
    before('start the service', () => service.start());
    after('stop the service', () => service.stop());
    tests(service);
  });
};

/** Describes the service on animals in memory, for tests whose result is the same on every store. */
export const describeService = (title: string, tests: (service: ServiceUnderTest) => void): void => {
  describeOn(inMemory, title, tests);
};

export const describeOnEveryStore = (title: string, tests: (service: ServiceUnderTest) => void): void => {
  for (const store of stores) describeOn(store, `${title}, on ${store.name}`, tests);
};

export const authorization = `Authorization: Bearer ${apiKeys.first}`;

/** Returns the text of a GET with `Connection: close`. */
export const getText = (target: string, ...headers: ReadonlyArray<string>) =>
  headOf(`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', authorization, ...headers);

/** Returns the text of a GET that keeps the connection open. */
export const keptAliveText = (target: string) =>
  headOf(`GET ${target} HTTP/1.1`, 'Host: localhost', authorization);
