/* global URLSearchParams */

// Programs that make a call of the API. A call has the `operation`, the `method`, the `path` that follows `/v1/`, and
// if needed `query`, `headers`, `body` and `petId`, whose values are texts.
import { baseUrl } from './session.mjs';

// Fields whose values are converted to bigints, because JavaScript would round large numbers.
const integers = ['id', 'petId', 'categoryId', 'after', 'limit'];

/** Returns the digits of an integer, or undefined for other values. */
const digitsOf = (name, text) =>
  integers.includes(name) && /^-?\d+$/.test(text) ? String(BigInt(text)) : undefined;

const propertiesOf = (values) =>
  Object.entries(values).map(
    ([name, text]) => `${JSON.stringify(name)}: ${digitsOf(name, text) ?? JSON.stringify(text)}`,
  );

/** Writes an object of JSON or Python. If `lineBreak` is not empty, each property is on its own line. */
const objectOf = (properties, lineBreak, step = '  ') =>
  lineBreak === '' || properties.length === 0
    ? `{${properties.join(', ')}}`
    : `{${lineBreak}${step}${properties.join(`,${lineBreak}${step}`)}${lineBreak}}`;

export const jsonOf = (values, lineBreak = '') => objectOf(propertiesOf(values), lineBreak);

const maxLineLength = 60;

/** Writes an object on one line, or with each property on its own line if that line is too long. */
const fit = (properties, write) => {
  const line = write('');
  return line.length > maxLineLength && properties.length > 1 ? write('\n') : line;
};

export const addressOf = ({ path, query = {} }) => {
  const search = new URLSearchParams(query).toString();
  return `${baseUrl}v1/${path}${search && `?${search}`}`;
};

const inShell = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const curl = ({ method, headers = {}, body, ...call }, key) => {
  const authorization =
    key === undefined ? '"Authorization: Bearer $API_KEY"' : inShell(`Authorization: Bearer ${key}`);
  return [
    `curl ${inShell(addressOf(call))}`,
    `-H ${authorization}`,
    ...Object.entries(headers).map((header) => `-H ${inShell(header.join(': '))}`),
    ...(method === 'POST'
      ? ["-H 'Content-Type: application/json'", `-d ${inShell(jsonOf(body, '\n  '))}`]
      : []),
  ].join(' \\\n  ');
};

const inScript = (text) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const literalOf = (properties, lineBreak) => {
  if (properties.length === 0) return '{}';
  return lineBreak === '' ? `{ ${properties.join(', ')} }` : `{\n  ${properties.join(',\n  ')},\n}`;
};

/** Writes the properties of an object literal of JavaScript, with bigints for int64 values. */
const literalProperties = (values) =>
  Object.entries(values).map(([name, text]) => {
    const digits = digitsOf(name, text);
    const value = digits === undefined ? inScript(text) : `${digits}${name === 'limit' ? '' : 'n'}`;
    return `${name === 'limit' ? 'pageSize' : name}: ${value}`;
  });

const clientCall = (start, values, end) => {
  const properties = literalProperties(values);
  return fit(properties, (lineBreak) => `${start}(${literalOf(properties, lineBreak)}${end});`);
};

/** Removes the quotes and escapes of an Idempotency-Key header, because the client takes a plain key. */
export const plainKey = (header) => {
  const [, quoted] = /^ *"(.*)" *$/.exec(header) ?? [];
  return quoted === undefined ? header.trim() : quoted.replaceAll(/\\(.)/g, '$1');
};

const clientCalls = {
  listPets: ({ query, defaultLimit }) => {
    // Shows the default limit, because the client's default differs from the service's.
    const options = { ...(defaultLimit !== undefined && { limit: String(defaultLimit) }), ...query };
    return `${clientCall('const { pets } = await animals.page', options, '')}\nconsole.log(pets);`;
  },
  createPet: ({ body, headers = {} }) => {
    const key = headers['Idempotency-Key'];
    const options = key === undefined ? '' : `, { idempotencyKey: ${inScript(plainKey(key))} }`;
    return `${clientCall('const pet = await animals.create', body, options)}\nconsole.log(pet);`;
  },
  getPet: ({ petId }) => {
    const digits = digitsOf('petId', petId);
    const id = digits === undefined ? inScript(petId) : `${digits}n`;
    return `const pet = await animals.get(${id});\nconsole.log(pet);`;
  },
};

const client = (call, key) => `// "npm run pack" in the repository of the service makes this package.
import { animalStoreClient } from 'animal-store/client';

const animals = animalStoreClient({
  baseUrl: ${inScript(String(baseUrl))},
  apiKey: ${key === undefined ? 'process.env.API_KEY' : inScript(key)},
});

${clientCalls[call.operation](call)}`;

const python = ({ method, path, query = {}, headers = {}, body }, key) => {
  const authorization =
    key === undefined ? `f"Bearer {os.environ['API_KEY']}"` : JSON.stringify(`Bearer ${key}`);
  const argument = (name, properties) =>
    fit(properties, (lineBreak) => `    ${name}=${objectOf(properties, lineBreak && '\n    ', '    ')},`);
  return [
    `import ${key === undefined ? 'os\nimport ' : ''}requests`,
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(addressOf({ path }))},`,
    ...(Object.keys(query).length > 0 ? [argument('params', propertiesOf(query))] : []),
    ...(method === 'POST' ? [argument('json', propertiesOf(body))] : []),
    argument('headers', [`"Authorization": ${authorization}`, ...propertiesOf(headers)]),
    '    timeout=10,',
    ')',
    'print(response.status_code, response.json())',
  ].join('\n');
};

export const languages = { curl, JavaScript: client, Python: python };
