import { expect } from 'chai';
import { decodeSettings } from '../../../app/settings/settings';
import { misspeltSettings, settingWarnings } from '../../../app/settings/warnings';
import { runInProcess } from '../../support/processes/run-in-process';

const warningsOf = (url: string): ReadonlyArray<string> => {
  const environment = {
    DATABASE_URL: url,
    ...{ PGHOST: 'db', PGSSLMODE: 'require', PGUSER: 'keeper', PGPASSWORD: 'secret' },
    ...{ PGDATA: '/var/lib/postgresql', PGAPPNAME: 'shop' },
  };
  return settingWarnings(environment, decodeSettings(environment));
};

describe('The warnings about settings', () => {
  it('name the variables that psql would connect by, if the database is one of PostgreSQL', () => {
    expect(warningsOf('postgres://db/animals')).to.deep.equal([
      'PGHOST is ignored; use the parameters of DATABASE_URL',
      'PGSSLMODE is ignored; use the parameters of DATABASE_URL',
    ]);
    expect(warningsOf('sqlite:animals.sqlite3')).to.deep.equal([]);
    expect(warningsOf('memory:')).to.deep.equal([]);
  });
});

describe('A variable of blanks', () => {
  it('counts as not set, also for a warning', () => {
    const environment = { API_KEYS: 'a-key-of-22-characters', API_KEYS_FILE: ' ', API_KEYZ: ' ' };
    expect(settingWarnings(environment, decodeSettings(environment))).to.deep.equal([]);
  });
});

describe('The settings', () => {
  it('cause a warning for a misspelt name, and not for other variables', () => {
    const misspelt = {
      PROT: 'PORT',
      DATABASE_URI: 'DATABASE_URL',
      API_KEYSS: 'API_KEYS',
      LOGLEVEL: 'LOG_LEVEL',
      port: 'PORT',
      API_KEYS_FIEL: 'API_KEYS_FILE',
      CORS_ORIGINS: 'CORS_ORIGIN',
    };
    const innocent = 'API_KEY PATH HOME PWD HOSTNAME LANG SHELL TERM USER LOGNAME PORT'.split(' ');
    const names = [...Object.keys(misspelt), ...innocent];
    const environment = Object.fromEntries(names.map((name) => [name, '1']));
    expect(misspeltSettings(environment)).to.deep.equal(
      Object.entries(misspelt).map(([name, meant]) => `unknown setting ${name}; did you mean ${meant}?`),
    );
    expect(misspeltSettings({ PROT: '' })).to.deep.equal([]);
  });

  it('cause warnings at the start and in doctor for misspelt names and short keys', async () => {
    const environment = {
      DATABASE_URL: 'memory:',
      API_KEYS: `short,${'k'.repeat(22)}`,
      PROT: '80',
      PORT: '0',
    };
    const warnings = [/unknown setting PROT; did you mean PORT\?/, /1 key in API_KEYS can be guessed/];
    const doctor = await runInProcess(['doctor'], environment);
    expect(doctor.code).to.equal(0);
    for (const warning of warnings) {
      expect(doctor.stdout).to.match(new RegExp(`^WARN  settings +${warning.source}`, 'm'));
    }
    // The service cannot listen on this address, so that the start fails after it has printed the warnings.
    const { stderr } = await runInProcess(['serve'], { ...environment, HOST: '192.0.2.1' });
    for (const warning of warnings) expect(stderr).to.match(new RegExp(`^warning: ${warning.source}`, 'm'));
    const quiet = await runInProcess(['doctor'], { ...environment, API_KEYS: 'k'.repeat(22), PROT: '' });
    expect(quiet.stdout).to.not.match(/warn/i);
    const invalid = { ...environment, PORT: 'abc' };
    expect((await runInProcess(['serve'], invalid)).stderr).to.match(/did you mean PORT\?[^]*PORT must be/);
    expect((await runInProcess(['doctor'], invalid)).stdout).to.include('did you mean PORT?');
  });
});
