/* global document */
import { copyText } from './copy.mjs';
import { newButton, newElement } from './elements.mjs';

/** Shows a name in an element, in the direction of its own text. */
export const showName = (element, name) => {
  element.classList.toggle('unnamed', name.trim() === '');
  element.textContent = name.trim() === '' ? '(no name)' : name;
  element.dir = 'auto';
  element.translate = false;
  return element;
};

export const statusBadge = (status) => {
  const badge = newElement(status === undefined ? 'span.quiet' : `span.badge.${status}`, status ?? '–');
  badge.translate = false;
  return badge;
};

const newRow = (pet, onOpen) => {
  const id = newButton('.id.mono', pet.id, (event) => {
    event.stopPropagation();
    void copyText(id, String(pet.id));
  });
  Object.assign(id, { title: 'Copy the id', translate: false });
  const name = showName(newElement('button.name'), pet.name);
  const category = newElement('span.mono', pet.categoryId);
  const row = document.createElement('tr');
  row.dataset.id = pet.id;
  for (const content of [id, name, category, statusBadge(pet.status)]) row.insertCell().append(content);
  // Sets the roles, because browsers drop them in the layout for phones.
  for (const element of [row, ...row.cells]) element.role = element === row ? 'row' : 'cell';
  row.addEventListener('click', ({ detail }) => {
    // Ignores the second click of a double click on Next, which may hit a row of the new page.
    if (detail < 2) onOpen(pet);
  });
  return row;
};

const sortDirections = { asc: 'ascending', desc: 'descending' };

/** Shows animals in the table. `onOpen` is called with the animal whose row was clicked. */
export const showRows = (table, pets, { order = 'asc' }, onOpen) => {
  table.tBodies[0].replaceChildren(...pets.map((pet) => newRow(pet, onOpen)));
  table.querySelector('#id-column').setAttribute('aria-sort', sortDirections[order]);
};

/** Scrolls to the row of an animal and marks it. Returns false if the table does not show the animal. */
export const markRow = (table, { id }) => {
  for (const row of table.querySelectorAll('.added')) row.classList.remove('added');
  const row = table.querySelector(`[data-id="${id}"]`);
  row?.classList.add('added');
  row?.scrollIntoView({ block: 'center' });
  return row !== null;
};
