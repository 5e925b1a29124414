import { newCode, newElement } from './elements.mjs';
import { showExamples } from './examples.mjs';
import { showFieldErrors } from './forms.mjs';
import { renderMarkdown } from './markdown.mjs';
import { callOf, inputsOf, invalidFieldsOf, newForm, typeOf } from './operation-form.mjs';
import { newResponsePanel } from './response.mjs';

/** Makes a table of the fields of a response or, for a list, of its elements. */
const fieldsOf = (schema, resolve) => {
  const { properties, required = [] } = schema.type === 'array' ? resolve(schema.items) : schema;
  const rows = Object.entries(properties).map(([name, property]) => {
    const field = resolve(property);
    const type = required.includes(name) ? typeOf(field) : `${typeOf(field)}, may be absent`;
    const head = newElement('th', newCode(name));
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
    const list = names.flatMap((name, index) => [index === 0 ? '' : ', ', newCode(name)]);
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

const headingOf = ({ summary, deprecated }, method, path) => {
  const title = newElement('h2', summary);
  if (deprecated) title.append(' ', newElement('span.badge.pending', 'deprecated'));
  const badge = newElement(`span.badge.${method}`, newCode(method.toUpperCase()));
  return [title, newElement('p.route', badge, ' ', newCode(`/v1${path}`))];
};

/**
 * Makes the section of an operation: its description and form, and next to them the examples and the response. Sends
 * nothing while the form of the key has a key that can't be used.
 */
export const newOperation = (path, method, operation, resolve, { enterKey, useTypedKey }) => {
  const { operationId, description, responses } = operation;
  const inputs = inputsOf(operation, resolve);
  const form = newForm(operationId, inputs);
  const [status, response] = Object.entries(responses)[0];
  const { example, schema } = response.content['application/json'];
  const { panel, send, showNotSent } = newResponsePanel(status, example, enterKey);
  const examples = newElement('div');
  const showCall = showExamples(examples);
  const call = () => callOf(operationId, method, path, inputs, form);
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
    const keyError = await useTypedKey();
    const rejection = keyError === undefined ? await send(call()) : showNotSent(keyError);
    panel.scrollIntoView({ block: 'nearest' });
    showFieldErrors(form, invalidFieldsOf(rejection));
  });
  showCall(call());
  const heading = headingOf(operation, method, path);
  const left = newElement('div', ...heading, ...renderMarkdown(description), form);
  const right = newElement('div.examples', examples, panel);
  const details = newElement('div', fieldsOf(resolve(schema), resolve), responsesOf(responses, resolve));
  const section = newElement('section.operation', left, right, details);
  return Object.assign(section, { id: operationId });
};
