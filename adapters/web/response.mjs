/* global document */
import { copyText } from './copy.mjs';
import { newButton, newCodeBlock, newElement } from './elements.mjs';
import { showCode } from './highlight.mjs';
import { sendCall } from './send-call.mjs';

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

/** Functions that replace an error by the example response, one for each panel whose last request had no valid key. */
const rejected = new Set();

export const clearRejections = () => {
  for (const showExample of rejected) showExample();
};

const newPanel = (enterKey) => {
  const [code, block] = newCodeBlock();
  block.setAttribute('aria-label', 'Response');
  const title = Object.assign(newElement('span'), { role: 'status' });
  const keyLink = newKeyLink(enterKey);
  const copy = newButton('', 'Copy', () => void copyText(copy, code.textContent));
  const headers = newElement('pre');
  const details = newElement('details', newElement('summary', 'Headers'), headers);
  const bar = newElement('div.code-bar', title, keyLink, copy);
  return { panel: newElement('div.code', bar, block, details), title, keyLink, code, details, headers };
};

const titleOf = ({ headers, status, statusText }, milliseconds) => {
  // Trims the text, because responses over HTTP/2 have an empty `statusText`.
  const parts = [`${status} ${statusText}`.trim(), `${milliseconds} ms`];
  if (headers.get('Idempotent-Replayed') === 'true') parts.splice(1, 0, 'replayed');
  return parts.join(', ');
};

/**
 * Makes the panel that shows an example of the response, and a function that sends a request and shows its response.
 * The function returns the text of a response 400, otherwise an empty text. `enterKey` lets the reader type a key.
 */
export const newResponsePanel = (exampleStatus, example, enterKey) => {
  const { panel, title, keyLink, code, details, headers } = newPanel(enterKey);
  const set = (titleText, className, text) => {
    Object.assign(title, { textContent: titleText, className });
    showCode(code, text);
    rejected.delete(showExample);
    for (const element of [keyLink, details]) element.hidden = true;
  };
  const showExample = () =>
    set(`Example of the response, ${exampleStatus}`, '', JSON.stringify(example, null, 2));
  const showKeyLink = () => {
    keyLink.hidden = false;
    rejected.add(showExample);
  };
  const showResponse = ({ response, text, milliseconds }) => {
    set(titleOf(response, milliseconds), response.ok ? 'good' : 'bad', text);
    if (!response.ok) linkCodeOf(code);
    headers.textContent = [...response.headers].map((header) => header.join(': ')).join('\n');
    details.hidden = false;
    if (response.status === 401) showKeyLink();
  };
  const send = async (call) => {
    title.textContent = 'Sending…';
    try {
      const outcome = await sendCall(call);
      showResponse(outcome);
      return outcome.response.status === 400 ? outcome.text : '';
    } catch (error) {
      set('No response', 'bad', `The service does not answer. (${error.message})`);
      return '';
    }
  };
  /** Shows that no request was sent, with a link to the key form if the key is invalid. Returns an empty text. */
  const showNotSent = (keyError = '') => {
    set('Nothing was sent', keyError === '' ? '' : 'bad', '');
    code.textContent = keyError;
    if (keyError !== '') showKeyLink();
    return '';
  };
  showExample();
  return { panel, send, showNotSent };
};
