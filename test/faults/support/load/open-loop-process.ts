import { setTimeout as delay } from 'node:timers/promises';
import { processorSeconds } from '../measures/processor-seconds';
import { type Connection, openConnection } from './connection';
import { requestText } from './load-request';
import type { OpenLoop, OpenLoopFigures } from './open-loop';
import { endWith, tell } from './start-load';
import { newTallies, newTally } from './tally';

/** Under the backlog of a listening socket. */
const openedAtOnce = 250;

/** In milliseconds: longer than any answer may take. */
const longestAnswer = 10_000;

/** One that has been asked for something is not taken for one that never will be. */
const greeting = requestText({ target: '/livez', key: 'none' });

interface Client {
  readonly connection: Connection;
  /** When the request that it waits for was to be sent. */
  due: number;
  isBusy: boolean;
  isCounted: boolean;
}

const saysWhenToCome = (head: string): boolean => /\r\nretry-after: [1-9]\d*/i.test(head);

const run = async (load: OpenLoop): Promise<OpenLoopFigures> => {
  const address = new URL(load.address);
  const texts = load.requests.map(requestText);
  const interval = 1_000 / load.rate;
  const firstCounted = Math.ceil(load.settle * load.rate);
  const last = firstCounted + Math.floor(load.seconds * load.rate);

  const answers = newTallies();
  const lateness = newTally();
  const idle: Array<Client> = [];
  let open = 0;
  let busy = 0;
  let mostBusy = 0;
  let waitedFor = 0;
  let unsent = 0;
  let unexplained = 0;
  let cutOff = 0;

  const release = (client: Client): void => {
    if (!client.isBusy) return;
    client.isBusy = false;
    busy -= 1;
    if (client.isCounted) waitedFor -= 1;
    client.isCounted = false;
  };

  const openClient = (onOpen?: (client: Client) => void): Client => {
    open += 1;
    let isGreeted = onOpen === undefined;
    const client: Client = {
      due: 0,
      isBusy: false,
      isCounted: false,
      connection: openConnection(address, {
        onOpen: () => {
          if (!isGreeted) client.connection.send(greeting);
        },
        onResponse: (status, head) => {
          if (!isGreeted) {
            isGreeted = true;
            onOpen?.(client);
          } else if (client.isBusy) {
            if (client.isCounted) {
              answers.record(status, performance.now() - client.due);
              if (status === '503' && !saysWhenToCome(head)) unexplained += 1;
            }
            release(client);
            idle.push(client);
          }
        },
        onClose: () => {
          if (!isGreeted) throw new Error('a connection was ended before its first answer');
          open -= 1;
          if (client.isCounted) cutOff += 1;
          release(client);
        },
      }),
    };
    return client;
  };

  const takeClient = (): Client | undefined => {
    for (let client = idle.pop(); client !== undefined; client = idle.pop()) {
      if (client.connection.isOpen()) return client;
    }
    return open < load.connections ? openClient() : undefined;
  };

  const ask = (place: number, due: number, now: number): void => {
    const isCounted = place >= firstCounted;
    if (isCounted) lateness.record(now - due);
    const client = takeClient();
    if (client === undefined) {
      if (isCounted) unsent += 1;
      return;
    }
    client.due = due;
    client.isBusy = true;
    client.isCounted = isCounted;
    busy += 1;
    if (isCounted) waitedFor += 1;
    mostBusy = Math.max(mostBusy, busy);
    client.connection.send(texts[place % texts.length] ?? '');
  };

  while (open < load.connections) {
    const some = Math.min(openedAtOnce, load.connections - open);
    const opened = Array.from(
      { length: some },
      () => new Promise<Client>((resolve) => void openClient(resolve)),
    );
    idle.push(...(await Promise.all(opened)));
  }

  tell({ event: 'begun' });
  const began = performance.now();
  let before = processorSeconds(load.pid);
  let ownBefore = process.cpuUsage();
  for (let place = 0; place < last;) {
    const now = performance.now();
    for (; place < last && began + place * interval <= now; place += 1) {
      if (place === firstCounted) {
        before = processorSeconds(load.pid);
        ownBefore = process.cpuUsage();
      }
      ask(place, began + place * interval, performance.now());
    }
    await delay(1);
  }
  const taken = processorSeconds(load.pid) - before;
  const { user, system } = process.cpuUsage(ownBefore);
  tell({ event: 'over' });

  const giveUp = performance.now() + longestAnswer;
  while (waitedFor > 0 && performance.now() < giveUp) await delay(10);
  return {
    scheduled: last - firstCounted,
    unsent,
    lateness: lateness.read(),
    byStatus: answers.read(),
    unexplained,
    cutOff,
    unanswered: waitedFor,
    mostBusy,
    processorSeconds: taken,
    sourceProcessorSeconds: (user + system) / 1_000_000,
  };
};

process.once('message', (load: OpenLoop) => {
  endWith(run(load));
});
