import { databaseUrlText } from '../settings/database-url';
import type { Settings } from '../settings/settings';
import type { Style } from '../terminal/style';
import { counted, escapeControlCharacters } from '../terminal/text';
import type { Service } from './serve';

const createKey = '`animal-store keys create --name NAME`';

/** Makes the text that a terminal shows at startup. Only long paths and the last line may exceed 80 columns. */
export const bannerText = (
  { address, adminAddress, firstKey }: Service,
  { API_KEYS, DATABASE_URL }: Settings,
  version: string,
  style: Style,
): string => {
  const keyRows = (): ReadonlyArray<readonly [label: string, text: string]> => {
    if (firstKey !== undefined)
      return [
        ['API key', style('green', firstKey)],
        ['', `shown only now; ${createKey} creates more`],
      ];
    if (API_KEYS.length > 0) return [['API key', `${counted(API_KEYS.length, 'key')} in API_KEYS`]];
    return [['API key', `a key that you have; ${createKey} creates more`]];
  };
  const rows: ReadonlyArray<readonly [label: string, text: string]> = [
    ['API', style('cyan', `${address}/v1/pets`)],
    ['Pages', `${style('cyan', address)} and ${style('cyan', `${address}/docs`)}`],
    ...(adminAddress === undefined ? [] : [['Metrics', style('cyan', `${adminAddress}/metrics`)] as const]),
    ['Data', escapeControlCharacters(databaseUrlText(DATABASE_URL))],
    ...keyRows(),
    [
      'Try it',
      firstKey === undefined
        ? `curl ${address}/readyz`
        : `curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets`,
    ],
  ];
  const lines = rows.map(([label, text]) => `${style('dim', label.padEnd(9))}  ${text}`);
  return [`${style('bold', 'animal-store')} ${version}, Ctrl-C stops`, ...lines, ''].join('\n');
};
