import { expect } from 'chai';
import { newCatalogue } from '../databases/catalogue';
import { type Environment, withoutDatabaseLine } from './command';
import { runInProcess } from './run-in-process';

export const dayMs = 86_400_000;

export const newStore = async () => {
  const { file, environment } = await newCatalogue();
  return { file, environment: { ...environment, API_KEYS: '' } };
};

export const keys = async (environment: Environment, ...command: ReadonlyArray<string>) =>
  withoutDatabaseLine(await runInProcess(['keys', ...command], environment));

/** Parses the record that a command prints as JSON. The listed fields are empty if the record lacks them. */
export const printed = (stdout: string) => {
  const record: unknown = JSON.parse(stdout);
  return Object.assign({ id: '', key: '', createdAt: '', expiresAt: '' }, record);
};

export const create = async (environment: Environment, name: string, ...options: ReadonlyArray<string>) => {
  const { stdout } = await keys(environment, 'create', `--name=${name}`, '--json', ...options);
  const { key, ...record } = printed(stdout);
  expect(record).to.include({ name, revokedAt: null });
  return { id: record.id, key, record };
};

export const today = (laterDays = 0): string =>
  new Date(Date.now() + laterDays * dayMs).toISOString().slice(0, 10);
