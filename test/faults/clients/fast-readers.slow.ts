import { expect } from 'chai';
import type { Socket } from 'node:net';
import { fault } from '../support/fault';
import { inFolder } from '../../support/temporary-folder';
import { askForLargePage, seedLargePage } from '../support/clients/large-page';
import { killServices, startService } from '../../support/service/service-process';

const key = 'fast-readers-key';
const readers = 12;
const rounds = 3;

/** Reads a response as fast as it comes: how many bytes were missing when it ended, and its status. */
const readWhole = (socket: Socket): Promise<{ readonly status: string; readonly missing: number }> =>
  new Promise((resolve) => {
    let head = '';
    let received = 0;
    let total = NaN;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (Number.isNaN(total)) {
        head += chunk.toString('latin1');
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
        const end = head.indexOf('\r\n\r\n');
        if (length !== undefined && end >= 0) total = end + 4 + Number(length);
      }
      if (received >= total) socket.destroy();
    });
    socket.once('close', () => {
      resolve({ status: head.slice(9, 12), missing: total - received });
    });
  });

describe('Promise 5: who reads is never cut off', () => {
  afterEach(killServices);

  fault(`SQLite: ${readers} clients read one page of 10 MB at full speed, ${rounds} times over`, () =>
    inFolder(async (folder) => {
      const { address } = await startService({
        DATABASE_URL: `sqlite:${folder}/animals.sqlite3`,
        API_KEYS: key,
      });
      await seedLargePage(address, key);
      const whole = { status: '200', missing: 0 };
      for (let round = 0; round < rounds; round += 1) {
        const opened = await Promise.all(
          Array.from({ length: readers }, () => askForLargePage(address, key)),
        );
        const read = await Promise.all(opened.map(readWhole));
        expect(read, 'what each has read').to.deep.equal(read.map(() => whole));
      }
      return { 'read whole': readers * rounds };
    }),
  );
});
