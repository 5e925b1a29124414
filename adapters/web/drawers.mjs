/* global document, location */
import { AnimalStoreError } from './client.mjs';
import { copyText, newCopyButton } from './copy.mjs';
import { createOnce } from './create-once.mjs';
import { newElement } from './elements.mjs';
import { showExamples } from './examples.mjs';
import { messageOf, showError, valuesOf } from './forms.mjs';
import { goToPet, leavePet, petInAddress } from './place.mjs';
import { showName, statusBadge } from './table.mjs';

const find = (selector) => document.querySelector(selector);
const [petDrawer, formDrawer, form, outcome] = [find('#pet'), find('#new-pet'), find('#add'), find('#added')];
const showPetExamples = showExamples(find('#pet-examples'));
const showCreateExamples = showExamples(find('#add-examples'));

// Leaves time to restart a service by hand.
const retryForMs = 60_000;

export const closeDrawers = () => {
  petDrawer.close();
  formDrawer.close();
  form.reset();
  showError(form);
  outcome.textContent = '';
};

const smallestId = -(2n ** 63n);

const listOfOne = (id) => ({ ...(id > smallestId && { after: String(id - 1n) }), limit: '1' });

/**
 * Opens the drawer with all fields of an animal, and adds the animal to the page's address, so that a link opens the
 * drawer again.
 */
export const openPet = (pet) => {
  const { id, name, categoryId } = pet;
  if (petInAddress() === '') goToPet(id);
  const values = {
    Id: [newElement('span.mono', id), newCopyButton('id', String(id))],
    Category: [newElement('span.mono', categoryId), newCopyButton('category', String(categoryId))],
    Status: [statusBadge(pet)],
    // The name comes last, because it may be long.
    Name: [showName(newElement('span'), pet), newCopyButton('name', name)],
  };
  petDrawer.classList.remove('missing');
  showName(find('#pet-name'), pet);
  const fields = Object.entries(values).flatMap(([field, elements]) => [
    newElement('dt', field),
    newElement('dd', ...elements),
  ]);
  petDrawer.querySelector('dl').replaceChildren(...fields);
  showPetExamples({ operation: 'listPets', method: 'GET', path: 'pets', query: listOfOne(id) });
  if (!petDrawer.open) petDrawer.showModal();
  find('#pet-name').focus();
};

/** Opens the drawer of the animal in the page's address, or closes it if the address has no animal. */
export const openPetOfAddress = async (animals, signal) => {
  const id = petInAddress();
  if (id === '') {
    petDrawer.close();
    return;
  }
  const found = await animals.get(id, { signal }).catch((error) => error);
  if (signal.aborted) return;
  if (!(found instanceof Error)) {
    openPet(found);
    return;
  }
  const isMissing = ['pet_not_found', 'invalid_argument'].includes(found.code);
  find('#pet-name').textContent = isMissing ? `No animal has the id ${id}.` : messageOf(found);
  petDrawer.querySelector('dl').replaceChildren();
  petDrawer.classList.add('missing');
  if (!petDrawer.open) petDrawer.showModal();
};

const sample = { name: 'Rex', categoryId: '7', status: 'available' };

const showFormExamples = () => {
  const values = valuesOf(form);
  const body = Object.keys(values).length === 0 ? sample : values;
  showCreateExamples({ operation: 'createPet', method: 'POST', path: 'pets', body });
};

export const openForm = () => {
  outcome.textContent = '';
  showError(form);
  showFormExamples();
  formDrawer.showModal();
  form.elements.name.focus();
};

/** True if the animal may have been stored, as after an error of the service, a proxy or the network. */
const isOutcomeUnknown = ({ status }) => status >= 500;

const shownLength = 60;

/** Returns the text and elements of the message about a new animal. */
const addedMessage = ({ pet, replayed }, attempts) => {
  const characters = [...pet.name];
  const start = characters.slice(0, shownLength).join('');
  // Isolates the name, because text from right to left would reorder the words around it.
  const shown = newElement('bdi', characters.length > shownLength ? `${start}…` : start);
  const name = pet.name.trim() === '' ? ['an animal without a name'] : ['“', shown, '”'];
  const once =
    replayed || attempts > 1 ? `, stored once${attempts > 1 ? ` after ${attempts} attempts` : ''}` : '';
  return ['Added ', ...name, ` with the id ${pet.id}${once}.`];
};

/**
 * Makes the function that adds the animal of the form. `onAdded` shows the new animal, and returns a text about the
 * filters or the order that it changed. `onError` returns true if it has shown the error. `visit` returns the signal of
 * the current visit.
 */
export const activateForm = (animals, visit, onAdded, onError) => {
  const create = createOnce(animals);
  return async () => {
    const signal = visit();
    let attempts = 1;
    const onRetry = () => {
      attempts += 1;
      outcome.className = 'waits';
      outcome.textContent = `The service does not answer. Retrying… (attempt ${attempts})`;
    };
    outcome.textContent = '';
    try {
      const created = await create(valuesOf(form), { signal, onRetry, retryForMs });
      if (signal.aborted) return;
      form.reset();
      showError(form);
      showFormExamples();
      outcome.className = '';
      outcome.replaceChildren(...addedMessage(created, attempts));
      form.elements.name.focus();
      outcome.append(await onAdded(created.pet));
    } catch (error) {
      if (signal.aborted) return;
      outcome.textContent = '';
      if (!(error instanceof AnimalStoreError)) throw error;
      if (onError(error)) return;
      showError(form, error);
      if (isOutcomeUnknown(error))
        form.querySelector('[role=alert]').textContent =
          `${messageOf(error)} Press Add again: the animal is stored only once.`;
    }
  };
};

form.addEventListener('input', showFormExamples);
const copyLink = find('#copy-link');
copyLink.addEventListener('click', () => void copyText(copyLink, location.href));
petDrawer.addEventListener('close', leavePet);
for (const drawer of [petDrawer, formDrawer]) {
  for (const button of drawer.querySelectorAll('[data-closes]'))
    button.addEventListener('click', () => drawer.close());
  // A click outside of the drawer has the dialog itself as its target.
  drawer.addEventListener('click', ({ target }) => target === drawer && drawer.close());
}
