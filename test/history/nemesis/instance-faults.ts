import type { Instance } from '../set-ups/instance';
import type { Random } from '../../support/random';
import type { Build } from '../settings';
import type { Hand, Injection } from './nemesis';
import { silence } from './silence';

/** All in milliseconds. */
const longestOutage = 2_000;
const longestJump = 8_000;

/** Two clocks a day apart would let an instance forget the keys of another: the promise ends there. */
const shiftsOfAll = ['-10h', '+10h', '-1y', '+1y'] as const;

const oneOf = (instances: ReadonlyArray<Instance>, random: Random): Instance => {
  const instance = instances[random.below(instances.length)];
  if (instance === undefined) throw new Error('there is no instance');
  return instance;
};

/** Kills, stops and restarts processes. */
export const processes = (
  instances: ReadonlyArray<Instance>,
  builds: readonly [Build, ...ReadonlyArray<Build>],
): Hand => {
  let restarts = 0;
  return {
    name: 'processes',
    draw: (random): Injection => {
      const instance = oneOf(instances, random);
      const silences = [instance.number];
      const of = `instance ${instance.number}`;
      const build = (): Build => builds[restarts % builds.length] ?? builds[0];
      switch (random.weighted({ kill: 2, stop: 2, restart: 2 })) {
        case 'kill': {
          const outage = random.between(0, longestOutage);
          return {
            name: `kill ${of}`,
            silences,
            inject: async (last) => {
              await instance.end('SIGKILL');
              await last(outage);
              await instance.start(build());
            },
          };
        }
        case 'stop': {
          const lasts = silence(random);
          return {
            name: `stop ${of}`,
            silences,
            inject: async (last) => {
              instance.signal('SIGSTOP');
              await last(lasts);
              instance.signal('SIGCONT');
            },
          };
        }
        case 'restart':
          return {
            name: `restart ${of} with the next build`,
            silences,
            inject: async () => {
              restarts += 1;
              await instance.end('SIGTERM');
              await instance.start(build());
            },
          };
      }
    },
  };
};

/** Cuts and heals what lies between clients and instances. */
export const cables = (instances: ReadonlyArray<Instance>): Hand => ({
  name: 'cables',
  draw: (random) => {
    const instance = oneOf(instances, random);
    const how = random.weighted({ freeze: 1, refuse: 1 });
    const lasts = silence(random);
    return {
      name: `${how} the cable of instance ${instance.number}`,
      silences: [instance.number],
      inject: async (last) => {
        instance.cable[how]();
        await last(lasts);
        instance.cable.thaw();
      },
    };
  },
});

/** Moves the clocks of the day. */
export const clocks = (instances: ReadonlyArray<Instance>): Hand => ({
  name: 'clocks',
  draw: (random) => {
    const instance = oneOf(instances, random);
    const shift = random.pick(shiftsOfAll);
    const lasts = random.between(500, longestJump);
    return {
      name: `move the clock of instance ${instance.number} by ${shift}`,
      silences: [],
      inject: async (last) => {
        await instance.moveClock(shift);
        await last(lasts);
        await instance.moveClock('+0');
      },
    };
  },
});
