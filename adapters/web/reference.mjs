/* global document, innerHeight, IntersectionObserver, location, scrollY */
import { copyText, newCopyButton } from './copy.mjs';
import { find, newButton, newCode, newElement } from './elements.mjs';
import { updateExamples } from './examples.mjs';
import { keyForm } from './key-form.mjs';
import { renderMarkdown } from './markdown.mjs';
import { newOperation } from './operation.mjs';
import { clearRejections, linkToError } from './response.mjs';
import { baseUrl, readKey } from './session.mjs';

const [main, list] = ['main', '#operations ul'].map(find);

const copyHeaderWithKey = newButton('', 'Copy with the key', () =>
  copyText(copyHeaderWithKey, `Authorization: Bearer ${readKey()}`),
);

const key = keyForm(() => {
  updateExamples();
  copyHeaderWithKey.hidden = readKey() === '';
  if (readKey() !== '') clearRejections();
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
    // Marks the introduction at the top of the page. On a phone, the band is then covered by the page's header, so that
    // no section crosses it.
    const top = scrollY < innerHeight / 4 ? 'introduction' : undefined;
    const seen = entries.find(({ isIntersecting }) => isIntersecting)?.target.id ?? top;
    if (seen === undefined) return;
    for (const link of links) {
      if (link.hash !== `#${seen}`) link.removeAttribute('aria-current');
      else {
        link.setAttribute('aria-current', 'true');
        // Scrolls the menu, which on a phone is a row that is wider than the screen.
        list.scrollLeft = link.offsetLeft - list.clientWidth / 2 + link.clientWidth / 2;
      }
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

/** Makes a list of the base URL and the header with the key, which every request needs. */
const newAccess = (servers) => {
  const facts = {
    'Base URL': String(new URL(servers[0].url, baseUrl)),
    Header: 'Authorization: Bearer <API_KEY>',
  };
  const rows = Object.entries(facts).flatMap(([name, text]) => [
    newElement('dt', name),
    newElement('dd', newCode(text), newCopyButton(name, text)),
  ]);
  rows.at(-1).append(copyHeaderWithKey);
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
      main.append(newOperation(path, method, operation, resolve, key));
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
  key.showState();
  if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
};

try {
  showReference(await (await fetch(new URL('openapi.json', baseUrl))).json());
} catch (error) {
  find('#loading').textContent =
    `The reference could not be loaded: ${error.message}. Reload the page to try again.`;
}
