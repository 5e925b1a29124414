import { databaseUrlText } from '../settings/database-url';
import { keySourceOf, type Settings } from '../settings/settings';
import type { Style } from '../terminal/style';
import { counted, escapeControlCharacters } from '../terminal/text';
import type { Service } from './run-service';

/** Makes the text that a terminal shows at startup. Only paths and lines with an API key may exceed 80 columns. */
export const bannerText = (
  { address, adminAddress, firstKey }: Service,
  settings: Settings,
  version: string,
  style: Style,
): string => {
  const signIn = firstKey !== undefined && isLoopback(address) ? `${address}/#key=${firstKey}` : undefined;
  const rows: ReadonlyArray<Row> = [
    ['API', style('cyan', `${address}/v1/pets`)],
    ...(signIn === undefined ? [['Page', style('cyan', address)] as const] : []),
    ['Reference', style('cyan', `${address}/docs`)],
    ...(adminAddress === undefined ? [] : [['Metrics', style('cyan', `${adminAddress}/metrics`)] as const]),
    ['Data', escapeControlCharacters(databaseUrlText(settings.DATABASE_URL))],
    ['Keys', keysText(firstKey, settings)],
  ];
  return [
    `${style('bold', 'animal-store')} ${version}, Ctrl-C stops`,
    '',
    ...rows.map(([label, text]) => `${style('dim', label.padEnd(9))}  ${text}`),
    '',
    // Puts each of these texts on lines without a margin, so that it can be copied from a terminal that wraps lines.
    ...(signIn === undefined ? [] : ['Page, with this key:', style('cyan', signIn), '']),
    ...(firstKey === undefined
      ? []
      : ['Add an animal, in another terminal:', ...firstCommands(address, firstKey), '']),
    '',
  ].join('\n');
};

type Row = readonly [label: string, text: string];

const isLoopback = (address: string): boolean => /^http:\/\/(?:127\.|\[::1\])/.test(address);

const keysText = (firstKey: string | undefined, settings: Settings): string => {
  const { API_KEYS, DATABASE_URL } = settings;
  if (keySourceOf(settings) === 'API_KEYS') return `${counted(API_KEYS.length, 'key')} in API_KEYS`;
  const first = firstKey === undefined ? 'those you have' : 'shown once';
  return DATABASE_URL._tag === 'Memory' ? `${first}; lost at the stop` : `${first}; ${createKey} adds more`;
};

const createKey = '`animal-store keys create --name NAME`';

/** Returns the shell commands that add an animal with the key, and show it. */
export const firstCommands = (address: string, key: string): ReadonlyArray<string> => [
  `export API_KEY=${key}`,
  `curl ${address}/v1/pets -H "Authorization: Bearer $API_KEY" \\`,
  `  -H 'Content-Type: application/json' \\`,
  `  -d '{"name":"Rex","categoryId":7,"status":"available"}'`,
];
