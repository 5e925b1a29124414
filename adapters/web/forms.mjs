/* global document, FormData */

/**
 * Returns the values of a form, without empty ones. An integer stays a text, because a number may be inexact. Blanks
 * around a value do not count, except in a name.
 */
export const valuesOf = (form) =>
  Object.fromEntries(
    [...new FormData(form)]
      .map(([name, value]) => [name, name === 'name' ? value : value.trim()])
      .filter(([, value]) => value !== ''),
  );

const messages = {
  forbidden: () => 'This key may only read. Sign out, and use a key that may add animals.',
  internal_error: ({ requestId = 'unknown' }) =>
    `The service has failed. Its operator finds the cause in the log, by the id ${requestId}.`,
  network: () => 'The service does not answer.',
  rate_limited: ({ retryAfterMs = 1_000 }) =>
    `Too many requests with the keys of this owner. Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`,
  timeout: () => 'The service does not answer.',
  unexpected_response: ({ status }) => `Something in front of the service has failed (status ${status}).`,
  unavailable: () => 'The service is not available at the moment.',
};

/** Returns the message of an error for a visitor, who knows neither headers nor settings. */
export const messageOf = (error) =>
  Object.hasOwn(messages, error.code)
    ? messages[error.code](error)
    : `${error.message[0]?.toUpperCase() ?? 'Unknown error'}${error.message.slice(1)}`;

/** Returns a text for visitors about the broken rule of a field. */
const textOf = ({ text, rule, expected, maxLength }) => {
  if (rule === 'required') return 'Required';
  if (rule === 'not_integer') return 'Must be a whole number';
  if (rule === 'out_of_range') return 'Must be a whole number from -2⁶³ to 2⁶³ − 1';
  if (rule === 'too_long') return `Must have at most ${maxLength.toLocaleString('en')} characters`;
  return text ?? `Must be ${expected}`;
};

/** Returns the text for an error of the API key, or undefined for another error. */
export const keyErrorOf = ({ code, fields }) => {
  if (code === 'unauthorized')
    return 'This key is unknown, expired or revoked. Ask the operator for another.';
  const invalid = fields.find(({ name }) => name === 'apiKey');
  return invalid && textOf(invalid);
};

/** Original contents of the hints, to show them again when an error is corrected. */
const usualHints = new WeakMap();

/** Shows an error of a field in place of its hint, or the hint again if there is no error. */
export const showHint = (field, error) => {
  const hint = document.getElementById(field.getAttribute('aria-describedby'));
  if (!usualHints.has(hint)) usualHints.set(hint, [...hint.childNodes]);
  hint.replaceChildren(...(error === undefined ? usualHints.get(hint) : [error]));
  hint.classList.toggle('wrong', error !== undefined);
  if (error === undefined) field.removeAttribute('aria-invalid');
  else field.setAttribute('aria-invalid', 'true');
};

document.addEventListener('input', ({ target }) => {
  if (target.hasAttribute('aria-invalid')) showHint(target);
});

/**
 * Shows the errors of fields next to them, and focuses the first. Returns false if the form has none of these fields.
 */
export const showFieldErrors = (form, invalidFields = []) => {
  const errors = Object.fromEntries(invalidFields.map((field) => [field.name, textOf(field)]));
  const fields = [...form.elements].filter((field) => field.hasAttribute('aria-describedby'));
  for (const field of fields) showHint(field, errors[field.name]);
  const first = fields.find(({ name }) => name in errors);
  first?.focus();
  return first !== undefined;
};

/** Shows an error at the fields that it names, or else in the alert of the form. Without an error, removes both. */
export const showError = (form, error) => {
  const isOfField = showFieldErrors(form, error?.fields);
  form.querySelector('[role=alert]').textContent = error === undefined || isOfField ? '' : messageOf(error);
};

/** Calls a function when the form is submitted, unless an earlier call still runs. */
export const onSubmit = (form, call) => {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.getAttribute('aria-busy') === 'true') return;
    form.setAttribute('aria-busy', 'true');
    await call();
    form.removeAttribute('aria-busy');
  });
};
