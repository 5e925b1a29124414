/* global document */
import { copyText } from './copy.mjs';
import { newButton, newElement } from './elements.mjs';
import { addressOf, jsonOf } from './examples.mjs';
import { showCode } from './highlight.mjs';
import { readKey } from './session.mjs';

const reviveExactly = (_name, value, { source }) =>
  typeof value === 'number' ? JSON.rawJSON(source) : value;

/**
 * Indents JSON without rounding its numbers. Returns other texts unchanged. Without `JSON.rawJSON`, returns all texts
 * unchanged.
 */
const indentExactly = (text) => {
  try {
    return typeof JSON.rawJSON === 'function'
      ? JSON.stringify(JSON.parse(text, reviveExactly), null, 2)
      : text;
  } catch {
    return text;
  }
};

const fetchCall = ({ headers, body, ...call }) => {
  const isPost = call.method === 'POST';
  return fetch(addressOf(call), {
    method: call.method,
    headers: {
      ...(readKey() !== '' && { Authorization: `Bearer ${readKey()}` }),
      ...(isPost && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(isPost && { body: jsonOf(body) }),
  });
};

/** Links an element to the row of an error code, if the table of errors has this code. */
export const linkToError = (element, code) => {
  const id = `error-${code}`;
  if (document.getElementById(id) === null) return;
  const link = newElement('a');
  link.href = `#${id}`;
  element.replaceWith(link);
  link.append(element);
};

const linkCodeOf = (body) => {
  const name = [...body.querySelectorAll('.name')].find(({ textContent }) => textContent === '"code"');
  const value = name?.nextElementSibling;
  if (value?.className === 'string') linkToError(value, value.textContent.slice(1, -1));
};

const newKeyLink = (enterKey) => {
  const link = Object.assign(newElement('a', 'Set an API key'), { href: '#api-key', hidden: true });
  link.addEventListener('click', enterKey);
  return link;
};

/** Functions that show the example again in each panel whose last request had no valid key. */
const rejected = new Set();

export const clearRejections = () => {
  for (const showExample of rejected) showExample();
};

/**
 * Makes the panel that shows an example of the response, and a function that sends a request and shows its response.
 * The function returns the body of a response 400, otherwise an empty text. `enterKey` lets the reader type a key.
 */
export const newResponsePanel = (exampleStatus, example, enterKey) => {
  const title = Object.assign(newElement('span'), { role: 'status' });
  const keyLink = newKeyLink(enterKey);
  const code = newElement('code');
  const text = Object.assign(newElement('pre', code), { tabIndex: 0, role: 'group', translate: false });
  text.setAttribute('aria-label', 'Response');
  const copy = newButton('', 'Copy', () => void copyText(copy, code.textContent));
  const headers = newElement('pre');
  const details = newElement('details', newElement('summary', 'Headers'), headers);
  const bar = newElement('div.code-bar', title, keyLink, copy);
  const panel = newElement('div.code', bar, text, details);
  const set = (titleText, className, body) => {
    Object.assign(title, { textContent: titleText, className });
    showCode(code, body);
    rejected.delete(showExample);
    for (const element of [keyLink, details]) element.hidden = true;
  };
  const showExample = () =>
    set(`Example of the response, ${exampleStatus}`, '', JSON.stringify(example, null, 2));
  const showKeyLink = () => {
    keyLink.hidden = false;
    rejected.add(showExample);
  };
  const showResponse = (response, body, milliseconds) => {
    const replayed = response.headers.get('Idempotent-Replayed') === 'true' ? 'replayed' : '';
    // HTTP/2 has no text of the status.
    const status = `${response.status} ${response.statusText}`.trim();
    const parts = [status, replayed, `${milliseconds} ms`].filter((part) => part !== '');
    set(parts.join(', '), response.ok ? 'good' : 'bad', body);
    if (!response.ok) linkCodeOf(code);
    headers.textContent = [...response.headers].map((header) => header.join(': ')).join('\n');
    details.hidden = false;
    if (response.status === 401) showKeyLink();
  };
  const send = async (call) => {
    const began = performance.now();
    title.textContent = 'Sending…';
    try {
      const response = await fetchCall(call);
      const body = indentExactly(await response.text());
      showResponse(response, body, Math.round(performance.now() - began));
      return response.status === 400 ? body : '';
    } catch (error) {
      set('No response', 'bad', `The service does not answer. (${error.message})`);
      return '';
    }
  };
  /** Shows that no request was sent, with a link to the key form if the key is invalid. Returns an empty text. */
  const showNotSent = (keyFault = '') => {
    set('Nothing was sent', keyFault === '' ? '' : 'bad', '');
    code.textContent = keyFault;
    if (keyFault !== '') showKeyLink();
    return '';
  };
  showExample();
  return { panel, send, showNotSent };
};
