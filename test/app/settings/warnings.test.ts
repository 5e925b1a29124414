import { expect } from 'chai';
import { decodeSettings } from '../../../app/settings/settings';
import { settingWarnings } from '../../../app/settings/warnings';

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
