import { changedSettings } from '../settings/changed-settings';
import { databaseAddressText } from '../settings/database-address-text';
import type { Settings } from '../settings/settings';

/** What a start says: what is served, where the data is, and which settings are not default. */
export const startLine = (settings: Settings, address: string): string => {
  const changed = changedSettings(settings);
  const set = changed.length === 0 ? 'all settings are default' : `set: ${changed.join(', ')}`;
  return `animal-store serves ${address} with its data in ${databaseAddressText(settings.DATABASE_URL)} (${set})`;
};
