import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { resolve } from 'node:path';
import { decodeSettings } from '../../../app/settings/settings';
import { startLine } from '../../../app/commands/serve';

const lineFor = (environment: Readonly<Record<string, string>>): string => {
  const settings = decodeSettings(environment);
  if (E.isLeft(settings)) throw new Error(JSON.stringify(settings.left));
  return startLine(settings.right, 'http://127.0.0.1:3000');
};

describe('The line of a start', () => {
  it('names the address, the database and the absence of settings', () => {
    expect(lineFor({ PATH: '/bin', PORT: '3000', LOG_LEVEL: '' })).to.equal(
      `animal-store serves http://127.0.0.1:3000 with its data in sqlite:${resolve('animal-store.sqlite3')} (all settings are default)`,
    );
  });

  it('names each changed setting with its value, but only the number of keys', () => {
    const line = lineFor({
      PORT: '0',
      HOST: '::1',
      DATABASE_URL: 'memory:',
      API_KEYS: 'secret-one,secret-two',
      CORS_ORIGIN: 'https://a.example,https://b.example',
      LOG_LEVEL: 'debug',
      NODE_ENV: 'production',
      MAX_IN_FLIGHT: '7',
      MAX_WAIT: '6',
      TRUST_PROXY: '1',
      STOP_DELAY: '8',
      RATE_LIMIT: '100/60s',
      POSTGRES_POOL_SIZE: '9',
      POSTGRES_STATEMENT_TIMEOUT: '11',
      POSTGRES_PREPARED_STATEMENTS: 'never',
      SECRET: 'of-another-program',
    });
    const set = /\(set: (.*)\)$/.exec(line)?.[1]?.split(', ').toSorted();
    expect(set).to.deep.equal([
      'API_KEYS=2 keys',
      'CORS_ORIGIN=https://a.example,https://b.example',
      'DATABASE_URL=memory:',
      'HOST=::1',
      'LOG_LEVEL=debug',
      'MAX_IN_FLIGHT=7',
      'MAX_WAIT=6',
      'NODE_ENV=production',
      'PORT=0',
      'POSTGRES_POOL_SIZE=9',
      'POSTGRES_PREPARED_STATEMENTS=never',
      'POSTGRES_STATEMENT_TIMEOUT=11',
      'RATE_LIMIT=100/60s',
      'STOP_DELAY=8',
      'TRUST_PROXY=1',
    ]);
  });

  it('shows a PostgreSQL address without its password in every form', () => {
    for (const [address, shown] of [
      ['postgres://me:pass-word@db.example:5432/animals', 'postgres://me@db.example:5432/animals'],
      ['postgresql://db.example/animals?user=me&password=pass-word', 'postgresql://db.example/animals'],
      ['postgres://me:1/pass-word@db.example/animals', 'postgres://...'],
      ['postgres://me:1#pass-word@db.example/animals', 'postgres://...'],
      ['postgres://me:1?pass-word@db.example/animals', 'postgres://...'],
      ['postgres://me:pass-w@rd@db.example/animals', 'postgres://me@db.example/animals'],
    ] as const) {
      const line = lineFor({ DATABASE_URL: address });
      expect(line).to.not.match(/pass-w/);
      expect(line).to.contain(`with its data in ${shown} (set: DATABASE_URL=${shown})`);
    }
  });
});
