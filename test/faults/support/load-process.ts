import { setTimeout as delay } from 'node:timers/promises';
import type {
  ClosedLoop,
  ClosedLoopFigures,
  LoadCommand,
  LoadMessage,
  LoadRequest,
  OpenLoop,
  OpenLoopFigures,
} from './load';
import { type Connection, openConnection } from './load-connection';
import { newTallies, newTally, processorSeconds } from './measures';

const tell = (...message: LoadMessage): void => void process.send?.(message);

/** Number of connections to open at once, fewer than the accept backlog of the server. */
const openedAtOnce = 250;

/** Time after the last request for which responses still count, longer than any response may take. */
const longestAnswerMs = 10_000;

const requestText = ({ target, key, body }: LoadRequest): string =>
  [
    `${body === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1`,
    'Host: animals',
    `Authorization: Bearer ${key}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    '',
    body ?? '',
  ].join('\r\n');

/** Calls `open` for each connection, some at once. Resolves when all connections are open. */
const openAll = async <A>(
  count: number,
  open: (onOpen: (opened: A) => void) => void,
): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = [];
  while (all.length < count) {
    const some = Math.min(openedAtOnce, count - all.length);
    all.push(...(await Promise.all(Array.from({ length: some }, () => new Promise(open)))));
  }
  return all;
};

const runClosedLoop = async (load: ClosedLoop): Promise<ClosedLoopFigures> => {
  const address = new URL(load.address);
  const texts = load.requests.map(requestText);
  const answers = newTallies();
  let sent = 0;
  let cutOff = 0;
  let isCounted = false;
  let isOver = false;

  const open = (onOpen?: (opened: undefined) => void): void => {
    let askedAt = 0;
    const ask = (): void => {
      askedAt = performance.now();
      connection.send(texts[sent % texts.length] ?? '');
      sent += 1;
    };
    const connection = openConnection(address, {
      onOpen: () => {
        ask();
        onOpen?.(undefined);
      },
      onResponse: (status) => {
        if (isOver) return;
        if (isCounted) answers.record(status, performance.now() - askedAt);
        ask();
      },
      onClose: () => {
        if (isOver) return;
        cutOff += 1;
        open();
      },
    });
  };

  await openAll(load.connections, open);
  await delay(load.settleSeconds * 1_000);
  const before = processorSeconds(load.pid);
  const began = performance.now();
  isCounted = true;
  await delay(load.countedSeconds * 1_000);
  isOver = true;
  const seconds = (performance.now() - began) / 1_000;
  const byStatus = answers.read();
  const perSecond = Object.entries(byStatus).map(([status, { count }]) => [status, count / seconds] as const);
  return {
    byStatus,
    cutOff,
    answersPerSecond: Object.fromEntries(perSecond),
    processorSeconds: processorSeconds(load.pid) - before,
  };
};

/** First request of each connection. The service would close an unused connection. */
const greeting = requestText({ target: '/livez', key: 'none' });

interface Client {
  readonly connection: Connection;
  /** Request that waits for its response. */
  asked: { readonly due: number; readonly isCounted: boolean } | undefined;
}

const runOpenLoop = async (load: OpenLoop): Promise<OpenLoopFigures> => {
  const address = new URL(load.address);
  const texts = load.requests.map(requestText);
  const intervalMs = 1_000 / load.ratePerSecond;
  const firstCounted = Math.ceil(load.settleSeconds * load.ratePerSecond);
  const last = firstCounted + Math.floor(load.countedSeconds * load.ratePerSecond);

  const answers = newTallies();
  const lateness = newTally();
  const idle: Array<Client> = [];
  const counts = { open: 0, unanswered: 0, unsent: 0, unexplained: 0, cutOff: 0 };

  /** Returns the counted request that a client waits for, if any, and frees the client. */
  const takeAsked = (client: Client): Client['asked'] => {
    const { asked } = client;
    client.asked = undefined;
    if (asked?.isCounted !== true) return undefined;
    counts.unanswered -= 1;
    return asked;
  };
  const onResponse = (client: Client, status: string, head: string): void => {
    if (client.asked === undefined) return;
    const asked = takeAsked(client);
    idle.push(client);
    if (asked === undefined) return;
    answers.record(status, performance.now() - asked.due);
    if (status === '503' && !/\r\nretry-after: [1-9]\d*/i.test(head)) counts.unexplained += 1;
  };
  const openClient = (onGreeted?: (client: Client) => void): Client => {
    counts.open += 1;
    let isGreeted = onGreeted === undefined;
    const client: Client = {
      asked: undefined,
      connection: openConnection(address, {
        onOpen: () => {
          if (!isGreeted) client.connection.send(greeting);
        },
        onResponse: (status, head) => {
          if (isGreeted) onResponse(client, status, head);
          else onGreeted?.(client);
          isGreeted = true;
        },
        onClose: () => {
          if (!isGreeted) throw new Error('a connection was ended before its first response');
          counts.open -= 1;
          if (takeAsked(client) !== undefined) counts.cutOff += 1;
        },
      }),
    };
    return client;
  };
  const takeClient = (): Client | undefined => {
    for (let client = idle.pop(); client !== undefined; client = idle.pop()) {
      if (client.connection.isOpen()) return client;
    }
    return counts.open < load.connections ? openClient() : undefined;
  };
  const ask = (place: number, due: number): void => {
    const isCounted = place >= firstCounted;
    const client = takeClient();
    if (isCounted) {
      lateness.record(performance.now() - due);
      if (client === undefined) counts.unsent += 1;
      else counts.unanswered += 1;
    }
    if (client === undefined) return;
    client.asked = { due, isCounted };
    client.connection.send(texts[place % texts.length] ?? '');
  };

  idle.push(...(await openAll<Client>(load.connections, openClient)));
  tell('begun');
  const began = performance.now();
  let before = processorSeconds(load.pid);
  for (let place = 0; place < last;) {
    const now = performance.now();
    for (; place < last && began + place * intervalMs <= now; place += 1) {
      if (place === firstCounted) before = processorSeconds(load.pid);
      ask(place, began + place * intervalMs);
    }
    await delay(1);
  }
  const taken = processorSeconds(load.pid) - before;
  tell('over');

  const giveUpAt = performance.now() + longestAnswerMs;
  while (counts.unanswered > 0 && performance.now() < giveUpAt) await delay(10);
  return {
    ...counts,
    lateness: lateness.read(),
    byStatus: answers.read(),
    processorSeconds: taken,
  };
};

const run = async ([loop, load]: LoadCommand): Promise<void> => {
  // Ends without a result if the process of the test has ended.
  process.once('disconnect', () => process.exit());
  const figures = await (loop === 'closed' ? runClosedLoop(load) : runOpenLoop(load));
  process.send?.(['figures', figures] satisfies LoadMessage, () => process.exit());
};

process.once('message', (command: LoadCommand) => void run(command));
