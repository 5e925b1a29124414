import type { FreezingProxy } from '../../support/postgres/freezing-proxy';
import type { Hand } from './nemesis';
import { silence } from './silence';

/** Cuts and heals what lies between an instance and its database: the instance answers all the while. */
export const databaseCables = (cables: ReadonlyArray<FreezingProxy>): Hand => ({
  name: 'database cables',
  draw: (random) => {
    const number = random.below(cables.length);
    const how = random.weighted({ freeze: 1, refuse: 1 });
    const lasts = silence(random);
    return {
      name: `${how} the database cable of instance ${number}`,
      silences: [],
      inject: async (last) => {
        cables[number]?.[how]();
        await last(lasts);
        cables[number]?.thaw();
      },
    };
  },
});
