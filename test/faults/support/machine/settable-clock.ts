import { writeFile } from 'node:fs/promises';
import { eventually } from '../../../support/eventually';
import { call } from '../../../support/http/client';
import { faketimeLibrary } from './tools';

/** As libfaketime reads them. */
export type Shift = '+0' | '+1y' | '-1y';

/** In milliseconds. */
const bound = 20_000;

/** A clock of the day for one process, which a file in the folder sets; the clock that only counts stays true. */
export const settableClock = async (folder: string) => {
  const file = `${folder}/clock`;
  const set = (shift: Shift): Promise<void> => writeFile(file, shift);
  await set('+0');
  return {
    environment: {
      LD_PRELOAD: faketimeLibrary() ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    /** Ends once the service's own answers carry the year that its clock was set to. */
    jump: async (shift: Shift, address: string): Promise<void> => {
      await set(shift);
      const year = new Date().getFullYear() + { '+0': 0, '+1y': 1, '-1y': -1 }[shift];
      await eventually(`the service is in ${year}`, bound, async () => {
        const { headers } = await call(`${address}/livez`);
        return headers.date?.includes(` ${year} `) === true;
      });
    },
  };
};
