import { dirname } from 'node:path';
import type { FreezingProxy } from '../../support/postgres/freezing-proxy';
import type { PostgresPair } from '../../faults/support/databases/postgres-pair';
import { fillDisk } from './fill-disk';
import type { Hand, Injection } from './nemesis';
import { silence } from './silence';

/** All in milliseconds. */
const longestFull = 6_000;
const longestOutage = 2_000;

/** Ruins a primary and its standby, and has the standby take over; `diskSize` is 0 where their disks are not small. */
export const pairFaults = (
  pair: PostgresPair,
  cables: ReadonlyArray<FreezingProxy>,
  diskSize: number,
): Hand => {
  const takeOver = async (open: 'end' | 'hang'): Promise<void> => {
    await pair.failOver();
    for (const cable of cables) cable.switchTo(pair.primary().port, open);
    await pair.addStandby();
  };
  const restart = async (): Promise<void> => {
    await pair.primary().start();
    await pair.isSynchronous();
  };
  return {
    name: 'primary and standby',
    draw: (random): Injection => {
      const lasts = silence(random);
      const outage = random.between(0, longestOutage);
      const fault = (name: string, inject: Injection['inject']): Injection => ({
        name,
        silences: [],
        inject,
      });
      switch (
        random.weighted({
          'kill primary': 2,
          'stop primary': 2,
          'stop standby': 2,
          'cut replication': 2,
          'fill disk': diskSize > 0 ? 2 : 0,
          'fail over': 3,
          'fail over late': 2,
          'fail over cut': 2,
        })
      ) {
        case 'kill primary':
          return fault('kill the primary', async (last) => {
            await pair.primary().kill();
            await last(outage);
            await restart();
          });
        case 'stop primary':
          return fault('stop the primary', async (last) => {
            const resume = pair.primary().hang();
            await last(lasts);
            resume();
          });
        case 'stop standby':
          return fault('stop the standby', async (last) => {
            const resume = pair.standby().hang();
            await last(lasts);
            resume();
          });
        case 'cut replication':
          return fault('cut the replication', async (last) => {
            pair.replication().freeze();
            await last(lasts);
            pair.replication().thaw();
          });
        case 'fill disk': {
          const { name, inject } = fillDisk(
            'the disk of the primary',
            dirname(pair.primary().folder),
            diskSize,
            random.between(500, longestFull),
          );
          return fault(name, async (last) => {
            await inject(last);
            // It ends by itself where its log finds no room.
            await restart();
          });
        }
        case 'fail over':
          return fault('fail over from a primary that dies', async (last) => {
            await pair.primary().kill();
            await last(outage);
            await takeOver('end');
          });
        case 'fail over late':
          return fault('fail over from a primary that hangs', async (last) => {
            pair.primary().hang();
            await last(lasts);
            await takeOver('hang');
          });
        case 'fail over cut':
          return fault('restart the primary while its standby is cut off, then fail over', async (last) => {
            pair.replication().freeze();
            await last(longestOutage);
            await pair.primary().kill();
            await pair.primary().start();
            await last(longestOutage);
            await pair.primary().kill();
            await takeOver('end');
          });
      }
    },
  };
};
