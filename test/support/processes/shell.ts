import { homedir } from 'node:os';
import { type Environment, type Outcome, startProgram } from './command';

/** Runs a command line as a user types it, with this user's settings of npm. */
export const shell = (folder: string, command: string, environment: Environment = {}): Promise<Outcome> =>
  startProgram('sh', ['-c', command], {
    folder,
    environment: {
      HOME: homedir(),
      NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] ?? '',
      ...environment,
    },
  }).ended;
