import { newElement } from './elements.mjs';
import { showExamples } from './examples.mjs';
import { showFieldErrors } from './forms.mjs';
import { renderMarkdown } from './markdown.mjs';
import { newResponsePanel } from './response.mjs';

const plain = (text) => Object.assign(newElement('code', text), { translate: false });

/** Returns the parameters of an operation and the fields of its body, each with the place where it is sent. */
const inputsOf = ({ parameters, requestBody }, resolve) => {
  const media = requestBody?.content['application/json'];
  const { properties = {}, required = [] } = resolve(media?.schema ?? {});
  const fields = Object.entries(properties).map(([name, property]) => {
    const schema = resolve(property);
    const sample = media.example[name];
    return { name, in: 'body', required: required.includes(name), schema, ...schema, example: sample };
  });
  return [...fields, ...parameters.map((parameter) => ({ ...parameter, schema: resolve(parameter.schema) }))];
};

const typeOf = ({ type, format, minimum, maximum, maxLength }) => {
  const range = minimum === undefined ? '' : `, ${minimum} to ${maximum}`;
  return `${format ?? type}${range}${maxLength === undefined ? '' : `, at most ${maxLength.toLocaleString('en')} characters`}`;
};

const newField = ({ in: place, schema, example = '' }) => {
  if (schema.enum === undefined)
    return Object.assign(newElement('input'), { autocomplete: 'off', value: example });
  const unset =
    schema.default === undefined ? (place === 'query' ? 'any' : 'none') : `${schema.default} (default)`;
  const options = ['', ...schema.enum.filter((value) => value !== schema.default)].map((value) =>
    Object.assign(newElement('option', value === '' ? unset : value), { value }),
  );
  return Object.assign(newElement('select', ...options), { value: example, translate: false });
};

const newForm = (operationId, inputs) => {
  const form = newElement('form');
  for (const input of inputs) {
    const field = newField(input);
    field.name = input.name;
    field.id = `${operationId}-${input.name}`;
    field.setAttribute('aria-describedby', `${field.id}-hint`);
    if (input.schema.default !== undefined) field.placeholder = input.schema.default;
    const type = newElement('span.quiet', typeOf(input.schema), input.required ? ', required' : '');
    const label = newElement('label', plain(input.name), ' ', type);
    label.htmlFor = field.id;
    // Shows only the first paragraph. The others are for readers of openapi.json, and are about errors that the
    // response explains.
    const [hint] = renderMarkdown(input.description);
    form.append(label, field, Object.assign(hint, { className: 'hint', id: `${field.id}-hint` }));
  }
  return form;
};

/** Returns the call that the values of the form describe. Empty fields are left out. */
const callOf = (operationId, method, path, inputs, form) => {
  const values = { query: {}, path: {}, header: {}, body: {} };
  for (const input of inputs) {
    const { value } = form.elements[input.name];
    if (value !== '') values[input.in][input.name] = value;
  }
  const { petId = '' } = values.path;
  return {
    operation: operationId,
    method: method.toUpperCase(),
    path: path.slice(1).replace('{petId}', encodeURIComponent(petId)),
    petId,
    query: values.query,
    defaultLimit: inputs.find(({ name }) => name === 'limit')?.schema.default,
    headers: values.header,
    body: values.body,
  };
};

/** Returns the invalid fields of an error response. Each part of the message begins with the name of a field. */
const invalidFieldsOf = (body) => {
  try {
    const parts = JSON.parse(body).message.split('; ');
    return parts.map((text) => ({ name: text.slice(0, text.indexOf(' ')), text }));
  } catch {
    // A proxy may answer with another body.
    return [];
  }
};

/** Makes a table of the fields of a response or, for a list, of its elements. */
const fieldsOf = (schema, resolve) => {
  const { properties, required = [] } = schema.type === 'array' ? resolve(schema.items) : schema;
  const rows = Object.entries(properties).map(([name, property]) => {
    const field = resolve(property);
    const type = required.includes(name) ? typeOf(field) : `${typeOf(field)}, may be absent`;
    const head = newElement('th', plain(name));
    head.scope = 'row';
    return newElement(
      'tr',
      head,
      newElement('td', type),
      newElement('td', ...renderMarkdown(field.description ?? '')),
    );
  });
  return newElement(
    'details',
    newElement(
      'summary',
      schema.type === 'array' ? 'Fields of each animal in the response' : 'Fields of the response',
    ),
    newElement('table', newElement('tbody', ...rows)),
  );
};

const responsesOf = (responses, resolve) => {
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description, headers } = resolve(response);
    const names = Object.keys(headers).filter((name) => name !== 'X-Request-Id');
    const cell = newElement('td', ...renderMarkdown(description));
    const list = names.flatMap((name, index) => [index === 0 ? '' : ', ', plain(name)]);
    if (names.length > 0) cell.append(newElement('p.hint', 'Headers: ', ...list));
    const head = newElement('th', status);
    head.scope = 'row';
    return newElement('tr', head, cell);
  });
  return newElement(
    'details',
    newElement('summary', 'All responses'),
    newElement('table', newElement('tbody', ...rows)),
  );
};

/**
 * Makes the section of an operation: its description and form, and next to them the examples and the response. Sends
 * nothing while the form of the key has a key that can't be used.
 */
export const newOperation = (path, method, operation, resolve, { enterKey, useTypedKey }) => {
  const { operationId, summary, description, deprecated, responses } = operation;
  const inputs = inputsOf(operation, resolve);
  const form = newForm(operationId, inputs);
  const [status, response] = Object.entries(responses)[0];
  const { example, schema } = response.content['application/json'];
  const { panel, send, showNotSent } = newResponsePanel(status, example, enterKey);
  const examples = newElement('div');
  const showCall = showExamples(examples);
  const call = () => callOf(operationId, method, path, inputs, form);
  const title = newElement('h2', summary);
  if (deprecated) title.append(' ', newElement('span.badge.pending', 'deprecated'));
  const badge = newElement(`span.badge.${method}`, plain(method.toUpperCase()));
  const route = newElement('p.route', badge, ' ', plain(`/v1${path}`));
  form.append(newElement('button.main', 'Send'));
  form.addEventListener('input', () => showCall(call()));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const empty = inputs.find((input) => input.in === 'path' && form.elements[input.name].value === '');
    if (empty !== undefined) {
      showNotSent();
      showFieldErrors(form, [{ name: empty.name, rule: 'required' }]);
      return;
    }
    const keyFault = await useTypedKey();
    const rejection = keyFault === undefined ? await send(call()) : showNotSent(keyFault);
    panel.scrollIntoView({ block: 'nearest' });
    showFieldErrors(form, invalidFieldsOf(rejection));
  });
  showCall(call());
  const left = newElement('div', title, route, ...renderMarkdown(description), form);
  const right = newElement('div.examples', examples, panel);
  const details = newElement('div', fieldsOf(resolve(schema), resolve), responsesOf(responses, resolve));
  const section = newElement('section.operation', left, right, details);
  return Object.assign(section, { id: operationId });
};
