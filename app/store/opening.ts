import {
  type OwnDatabase,
  type DatabaseFinding,
  type MigrateOptions,
  permanentError,
  type SchemaState,
} from '../../adapters/knex';
import { unavailable } from '../../core';
import { CommandFailed } from '../failures';
import type { Settings } from '../settings/settings';

export type Check =
  | DatabaseFinding['check']
  | ('settings' | 'user' | 'file' | 'mount' | 'driver' | 'schema' | 'clock' | 'rights' | 'keys' | 'port');

export interface Finding {
  readonly check: Check;
  readonly ok: boolean;
  readonly isWarning?: true;
  readonly text: string;
}

export const passed = (check: Check, text: string): Finding => ({ check, ok: true, text });

export const failed = (check: Check, text: string): Finding => ({ check, ok: false, text });

export const warned = (check: Check, text: string): Finding => ({ check, ok: true, isWarning: true, text });

/**
 * Reports whether a start may create a missing store. False in production: after the loss of its database, a restarted
 * service must not continue with an empty one.
 */
export const mayCreateStore = ({ NODE_ENV }: Settings): boolean => NODE_ENV !== 'production';

export interface OpenOptions extends Pick<MigrateOptions, 'mayRaiseGeneration' | 'signal'> {
  /** True if the command may create the tables. Otherwise it fails with NotInitialized if they are missing. */
  readonly mayCreate?: boolean;
  readonly printError: (text: string) => void;
}

/** Store that is being opened. The steps set the optional properties. */
export interface Opening {
  readonly settings: Settings;
  readonly purpose: 'doctor' | 'serve' | 'write' | 'read';
  readonly mayCreate: boolean;
  readonly migration: MigrateOptions;
  database?: OwnDatabase;
  schema?: SchemaState;
  ranMigrations?: ReadonlyArray<string>;
  /** True if no tables exist that `doctor` could inspect. */
  lacksStore?: boolean;
  /** True after a required step has failed, so that no statement can run. */
  isBlocked?: boolean;
}

export const notInitialized = (): CommandFailed => new CommandFailed({ _tag: 'NotInitialized' });

export const unusable = (reason: string): CommandFailed =>
  new CommandFailed(unavailable(permanentError(reason)));
