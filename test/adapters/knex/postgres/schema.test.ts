import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setSequenceAdvice } from '../../../../adapters/knex';
import { tables } from '../../../../adapters/knex/database/tables';
import { nameSchemaInSql, setsSearchPath } from '../../../../adapters/knex/postgres/schema';
import { projectFolder } from '../../../support/processes/command';

const folder = join(projectFolder, 'adapters/knex/postgres');

describe('The SQL for PostgreSQL', () => {
  it('writes each table in braces, so that a statement can name the schema', () => {
    const names = tables.map(({ name }) => name).join('|');
    const withoutBraces = new RegExp(`\\b(?:from|into|join|update)\\s+(?:${names})\\b`, 'gi');
    const found = readdirSync(folder).flatMap((file) => {
      const source = readFileSync(join(folder, file), 'utf8').replace(setSequenceAdvice, '');
      return [...source.matchAll(withoutBraces)].map(([text]) => `${file}: ${text}`);
    });
    expect(found).to.deep.equal([]);
  });

  it('names the schema if statements name one, and otherwise leaves it to the search path', () => {
    const sql = 'select {current_schema} from {pets}';
    expect(nameSchemaInSql(sql, undefined)).to.equal('select current_schema() from pets');
    expect(nameSchemaInSql(sql, 'my "zoo"')).to.equal(`select 'my "zoo"' from "my ""zoo""".pets`);
    expect(nameSchemaInSql('select {current_schema}', "keeper's")).to.equal("select 'keeper''s'");
  });
});

describe('The address of a PostgreSQL database', () => {
  for (const [address, expected] of [
    ['postgres://host/animals?options=-c%20search_path%3Dzoo', true],
    ['postgres://host/animals?sslmode=require&options=-c+search_path%3Dzoo', true],
    ['postgres://host/animals?options=--search-path%3Dzoo', true],
    ['postgres://host/animals?options=-c%20search_path%3Dzoo&options=-c%20geqo%3Doff', false],
    ['postgres://user:search_path=@host/animals', false],
    ['postgres://search_path/search_path?application_name=search_path%3D', false],
  ] as const)
    it(`${expected ? 'sets' : 'does not set'} the search path: ${address}`, () => {
      expect(setsSearchPath(address)).to.equal(expected);
    });
});
