import type { ApiKeyRecord } from '../../adapters/knex';
import { visibleJson } from '../terminal/visible-json';

const state = ({ revoked, expires, isValid }: ApiKeyRecord): string => {
  if (revoked !== null) return `revoked ${revoked}`;
  if (expires === null) return 'valid';
  return isValid ? `valid until ${expires}` : `expired ${expires}`;
};

/** What `keys list` shows of a key, in one line. */
export const apiKeyLine = (record: ApiKeyRecord): string => {
  const { id, owner, lastFour, created, name } = record;
  // Quoted, so that no name can look like a line of another key.
  return [id, `owner ${owner}`, `...${lastFour}`, created, state(record), visibleJson(name)].join('  ');
};
