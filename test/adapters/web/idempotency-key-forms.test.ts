import { expect } from 'chai';
import * as TE from 'fp-ts/TaskEither';
import { unavailable } from '../../../core';
import { key as apiKey, startServer } from '../../support/http/start-server';
import { runNode } from '../../support/packages';
import { projectFolder } from '../../support/processes/command';

const samples = [
  ...['a', '"a"', ' "a" ', ' a', "'a'", 'a;b=c', '"two words"', '"a, b;c"', '"a"b"', 'a"', '"', '""'],
  ...[String.raw`"a\"b"`, String.raw`"a\\b"`, String.raw`"\\\""`, String.raw`"\\"`, String.raw`"\a"`],
];

/** Returns the headers that the service accepts, each with the key that the service reads from it. */
const readByService = async (): Promise<ReadonlyArray<readonly [header: string, key: string]>> => {
  const read: Array<readonly [string, string]> = [];
  let header = '';
  const { address, stop } = await startServer({
    pets: {
      create: (_newPet, { idempotency } = {}) => {
        if (idempotency !== undefined) read.push([header, idempotency.idempotencyKey]);
        return TE.left(unavailable('a test needs only the key'));
      },
    },
  });
  for (header of samples) {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': header };
    const body = '{"name":"Rex","categoryId":7}';
    await fetch(`${address}/v1/pets`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    });
  }
  await stop(0);
  return read;
};

/** Returns the keys that an example of the API reference shows for these headers. */
const shownByReference = async (headers: ReadonlyArray<string>): Promise<unknown> => {
  const program = `
    globalThis.location = new URL('http://127.0.0.1/docs');
    globalThis.addEventListener = () => undefined;
    const { plainKey } = await import('./adapters/web/programs.mjs');
    console.log(JSON.stringify(${JSON.stringify(headers)}.map(plainKey)));`;
  const { stdout } = await runNode(projectFolder, '--input-type=module', '--eval', program);
  return JSON.parse(stdout);
};

describe('The text of an Idempotency-Key', () => {
  it('is the same key in the service and in an example of the API reference', async () => {
    const read = await readByService();
    expect(read.map(([header]) => header)).to.include.members(['a', ' "a" ', String.raw`"a\"b"`]);
    const shown = await shownByReference(read.map(([header]) => header));
    expect(shown).to.deep.equal(read.map(([, key]) => key));
  });
});
