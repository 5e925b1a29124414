/* global document, innerHeight, IntersectionObserver, location, scrollY */
import { animalStoreClient } from './client.mjs';
import { newCopyButton } from './copy.mjs';
import { newElement } from './elements.mjs';
import { updateExamples } from './examples.mjs';
import { keyErrorOf } from './forms.mjs';
import { renderMarkdown } from './markdown.mjs';
import { newOperation } from './operation.mjs';
import { clearRejections, linkToError } from './response.mjs';
import { baseUrl, keepKey, readKey, removeKey } from './session.mjs';

const find = (selector) => document.querySelector(selector);
const [main, list, keyForm, keyField] = ['main', '#operations ul', '#enter', '#api-key'].map(find);

const showKey = () => {
  updateExamples();
  if (readKey() !== '') clearRejections();
  find('#key-hint').classList.remove('wrong');
  keyField.removeAttribute('aria-invalid');
  find('#sign-out').hidden = readKey() === '';
  find('#key-hint').textContent =
    readKey() === ''
      ? 'This tab keeps the key until you close it.'
      : `This tab has a key, which ends in ${readKey().slice(-4)}. Requests from this page send it.`;
};

/** Tries a key. Returns why it can't be used, or undefined. */
const faultOf = async (apiKey) => {
  const error = await animalStoreClient({ baseUrl, apiKey: () => apiKey, retryForMs: 0 })
    .page({ pageSize: 1 })
    .catch((cause) => cause);
  return error instanceof Error ? keyErrorOf(error) : undefined;
};

/** Takes the key out of the field, if there is one, and keeps it for the tab. Otherwise returns why it can't be used. */
const useKeyOfField = async () => {
  const { value } = keyField;
  if (value === '') return undefined;
  const fault = await faultOf(value);
  if (fault === undefined) keepKey(value);
  keyField.value = '';
  showKey();
  if (fault === undefined) return undefined;
  find('#key-hint').textContent = fault;
  find('#key-hint').classList.add('wrong');
  keyField.setAttribute('aria-invalid', 'true');
  return fault;
};

keyForm.addEventListener('submit', async (event) => {
  event.preventDefault();
  if ((await useKeyOfField()) !== undefined) keyField.focus();
});
find('#sign-out').addEventListener('click', () => {
  removeKey();
  keyField.focus();
  showKey();
});

const addLink = (id, ...children) => {
  const link = newElement('a', ...children);
  link.href = `#${id}`;
  list.append(newElement('li', link));
};

/** Marks the link to the section that crosses a band near the top of the window. */
const markSectionInView = () => {
  const links = [...list.querySelectorAll('a')];
  const mark = (entries) => {
    // At the top of a phone's screen, the band lies on the header.
    const top = scrollY < innerHeight / 4 ? 'introduction' : undefined;
    const seen = entries.find(({ isIntersecting }) => isIntersecting)?.target.id ?? top;
    if (seen === undefined) return;
    for (const link of links) {
      if (link.hash === `#${seen}`) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  const observer = new IntersectionObserver(mark, { rootMargin: '-10% 0px -85%' });
  for (const { hash } of links) observer.observe(find(hash));
};

/** Links each code of a response to its row in the table of errors. */
const linkErrorCodes = () => {
  for (const row of find('#errors tbody').rows) row.id = `error-${row.cells[0].textContent}`;
  for (const code of document.querySelectorAll('.operation td code')) linkToError(code, code.textContent);
};

/** Returns how each request begins: the base URL, and the header with the key. */
const newAccess = (servers) => {
  const facts = {
    'Base URL': String(new URL(servers[0].url, baseUrl)),
    Header: 'Authorization: Bearer <API_KEY>',
  };
  const rows = Object.entries(facts).flatMap(([name, text]) => {
    const code = Object.assign(newElement('code', text), { translate: false });
    return [newElement('dt', name), newElement('dd', code, newCopyButton(name, text))];
  });
  return newElement('dl', ...rows);
};

const showReference = ({ info, servers, paths, components }) => {
  const resolve = (value) =>
    value.$ref === undefined
      ? value
      : value.$ref
          .split('/')
          .slice(2)
          .reduce((found, name) => found[name], components);
  const description = renderMarkdown(info.description);
  const aboutErrors = description.splice(-2);
  description.splice(1, 0, newAccess(servers));
  find('#loading').replaceWith(...description);
  addLink('introduction', 'Introduction');
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations)) {
      main.append(newOperation(path, method, operation, resolve, useKeyOfField));
      const badge = newElement(`span.badge.${method}`, method.toUpperCase());
      const name = newElement(operation.deprecated ? 's' : 'span', operation.summary);
      addLink(operation.operationId, name, badge);
    }
  const errors = newElement('section', newElement('h2', 'Errors'));
  errors.id = 'errors';
  errors.append(...aboutErrors);
  errors.querySelector('details').open = true;
  main.append(errors);
  linkErrorCodes();
  addLink('errors', 'Errors');
  find('#operations').hidden = false;
  markSectionInView();
  keyForm.hidden = false;
  showKey();
  if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
};

try {
  showReference(await (await fetch(new URL('openapi.json', baseUrl))).json());
} catch (error) {
  find('#loading').textContent =
    `The reference could not be loaded: ${error.message}. Reload the page to try again.`;
}
