import { createHeartbeats } from '../../../adapters/knex/migrations/create-heartbeats';

/** Preloaded into the command line, it makes the fourth of the migrations say so and never end. */
createHeartbeats.up = () => {
  process.stderr.write('amid the migrations\n');
  return new Promise(() => setInterval(() => undefined, 1_000));
};
