import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { newCatalogue } from '../../support/databases/catalogue';
import { environmentOf } from '../../support/http/client';
import { withOwnPostgres } from '../../support/postgres/postgres-server';
import { main, startProgram } from '../../support/processes/command';
import { childrenOf, pidOf } from '../../support/processes/system';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { inFolder, removeFolders } from '../../support/temporary-folder';
import { arbitraryNewPet } from '../../contracts';
import { create, newLedger } from '../support/ledger';
import { attachStrace, detachAll, fault } from '../support/machine';

const clients = 8;
const createsEach = 10;

/** Options of strace that show whole pages of a write-ahead log, and whole responses. */
const options = ['-y', '-s', '65536', '-e', 'trace=write,writev,pwrite64,pwritev,fsync,fdatasync'];

/** A system call in a trace, with the lines on which it began and returned. */
interface SystemCall {
  readonly thread: string;
  readonly name: string;
  readonly text: string;
  readonly began: number;
  readonly returned: number;
  readonly result: string;
}

const parse = (trace: string): ReadonlyArray<SystemCall> => {
  const calls: Array<SystemCall> = [];
  const unfinished = new Map<string, Pick<SystemCall, 'name' | 'text' | 'began'>>();
  trace.split('\n').forEach((line, place) => {
    const [, thread, name, text] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    const [, resumedThread = ''] = /^(\d+) +<\.\.\. \w+ resumed>/.exec(line) ?? [];
    const resumed = unfinished.get(resumedThread);
    const result = / = (-?\d+)[^=]*$/.exec(line)?.[1] ?? '';
    if (resumed !== undefined) {
      unfinished.delete(resumedThread);
      calls.push({ ...resumed, thread: resumedThread, text: resumed.text + line, returned: place, result });
    } else if (thread !== undefined && name !== undefined && text !== undefined) {
      if (text.endsWith('<unfinished ...>')) unfinished.set(thread, { name, text, began: place });
      else calls.push({ thread, name, text, began: place, returned: place, result });
    }
  });
  return calls.sort((one, other) => one.began - other.began);
};

/**
 * Checks that each 201 was written after a sync of the write-ahead log that began after the commit was written to this
 * log.
 */
const expectSyncedFirst = (trace: string, names: ReadonlyArray<string>, log: RegExp): void => {
  const calls = parse(trace);
  const ofLog = calls.filter(({ text }) => log.test(/^\d+<([^>]*)>/.exec(text)?.[1] ?? ''));
  const writes = ofLog.filter(({ name }) => name.startsWith('pwrite'));
  const syncs = ofLog.filter(({ name, result }) => /^f(?:data)?sync$/.test(name) && result === '0');
  const answers = calls.filter(({ text }) => /^\d+<socket:/.test(text) && text.includes('HTTP/1.1 201'));
  for (const animal of names) {
    const written = writes.find(({ text }) => text.includes(animal));
    const answered = answers.find(({ text }) => text.includes(animal));
    if (written === undefined) throw new Error(`${animal} was not written to the log`);
    if (answered === undefined) throw new Error(`the answer to ${animal} was not written`);
    const synced = syncs.find(({ thread, began }) => thread === written.thread && began > written.returned);
    if (synced === undefined) throw new Error(`the commit of ${animal} was not synced`);
    expect(synced.returned, `${animal}: the line of its sync`).to.be.below(answered.began);
  }
};

/**
 * Creates animals, every second one with an idempotency key, because creates with and without a key commit differently.
 */
const createOn = async (address: string): Promise<ReadonlyArray<string>> => {
  const names = Array.from({ length: createsEach }, () => randomBytes(12).toString('hex'));
  for (const [place, name] of names.entries()) {
    // The stored name has the text twice: if a page of the write-ahead log ends within one copy, the other copy is
    // whole.
    const answer = await create(newLedger(), address, `${name}${name}`, { isKeyed: place % 2 === 1 });
    expect(answer.status).to.equal(201);
  }
  return names;
};

const traceCreates = (
  service: ServiceProcess,
  log: RegExp,
  databasePids: ReadonlyArray<number> = [],
): Promise<void> =>
  inFolder(async (folder) => {
    const { output, detach } = await attachStrace(
      [pidOf(service), ...databasePids],
      options,
      `${folder}/trace`,
    );
    const names = await Promise.all(Array.from({ length: clients }, () => createOn(service.address)));
    await detach();
    expectSyncedFirst(await output(), names.flat(), log);
  });

describe('A 201', () => {
  afterEach(detachAll);
  afterEach(killServices);

  fault(
    'is written after the sync of its commit, on SQLite',
    () =>
      inFolder(async (folder) => {
        const service = await startService(environmentOf(`sqlite:${folder}/animals.sqlite3`));
        return traceCreates(service, /animals\.sqlite3-wal$/);
      }),
    'strace',
  );

  fault(
    'is written after the sync of its commit, on PostgreSQL',
    () =>
      withOwnPostgres(async ({ url, postmaster }) => {
        const service = await startService(environmentOf(url));
        return traceCreates(service, /\/pg_wal\//, [postmaster(), ...childrenOf(postmaster())]);
      }),
    'strace',
  );
});

describe('An exported file', () => {
  afterEach(removeFolders);

  fault(
    'gets its name after the sync of its content',
    () =>
      inFolder(async (folder) => {
        const { environment } = await newCatalogue([arbitraryNewPet()]);
        const [file, trace] = [`${folder}/animals.csv`, `${folder}/trace`];
        const straced = ['-f', '-y', '-o', trace, '-e', 'trace=fsync,fdatasync,rename,renameat,renameat2'];
        const { code } = await startProgram('strace', [...straced, process.execPath, main, 'export', file], {
          environment,
        }).ended;
        expect(code).to.equal(0);
        const calls = (await readFile(trace, 'latin1')).split('\n');
        const synced = calls.findIndex((call) => /f(?:data)?sync\(\d+<[^>]*\.partial>/.test(call));
        const renamed = calls.findIndex((call) => /rename\w*\(.*\.partial/.test(call));
        expect(synced, 'the line of the sync').to.be.at.least(0);
        expect(renamed, 'the line of the rename').to.be.above(synced);
      }),
    'strace',
  );
});
