import { newCode, newElement } from './elements.mjs';
import { renderMarkdown } from './markdown.mjs';

/** Returns the parameters of an operation and the fields of its body, each with the place where it is sent. */
export const inputsOf = ({ parameters, requestBody }, resolve) => {
  const media = requestBody?.content['application/json'];
  const { properties = {}, required = [] } = resolve(media?.schema ?? {});
  const fields = Object.entries(properties).map(([name, property]) => {
    const schema = resolve(property);
    const sample = media.example[name];
    return { name, in: 'body', required: required.includes(name), schema, ...schema, example: sample };
  });
  return [...fields, ...parameters.map((parameter) => ({ ...parameter, schema: resolve(parameter.schema) }))];
};

export const typeOf = ({ type, format, minimum, maximum, maxLength }) => {
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

export const newForm = (operationId, inputs) => {
  const form = newElement('form');
  for (const input of inputs) {
    const field = newField(input);
    field.name = input.name;
    field.id = `${operationId}-${input.name}`;
    field.setAttribute('aria-describedby', `${field.id}-hint`);
    if (input.schema.default !== undefined) field.placeholder = input.schema.default;
    const type = newElement('span.quiet', typeOf(input.schema), input.required ? ', required' : '');
    const label = newElement('label', newCode(input.name), ' ', type);
    label.htmlFor = field.id;
    // Shows only the first paragraph. The others are for readers of openapi.json, and are about errors that the
    // response explains.
    const [hint] = renderMarkdown(input.description);
    form.append(label, field, Object.assign(hint, { className: 'hint', id: `${field.id}-hint` }));
  }
  return form;
};

/** Returns the call that the values of the form describe. Empty fields are left out. */
export const callOf = (operationId, method, path, inputs, form) => {
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

/**
 * Returns the invalid fields of an error response. Relies on the texts of the service: each part of a message begins
 * with the name of a field.
 */
export const invalidFieldsOf = (body) => {
  try {
    const parts = JSON.parse(body).message.split('; ');
    return parts.map((text) => ({ name: text.slice(0, text.indexOf(' ')), text }));
  } catch {
    // Ignores a body that is not from the service, but from a proxy.
    return [];
  }
};
