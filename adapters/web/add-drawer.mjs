import { AnimalStoreError } from './client.mjs';
import { createOnce } from './create-once.mjs';
import { find, newElement } from './elements.mjs';
import { showExamples } from './examples.mjs';
import { messageOf, onSubmit, showError, valuesOf } from './forms.mjs';

const [drawer, form, outcome] = [find('#new-pet'), find('#add'), find('#added')];
const showCall = showExamples(find('#add-examples'));

// Leaves time to restart a service by hand.
const retryForMs = 60_000;

const sample = { name: 'Rex', categoryId: '7', status: 'available' };

const showCallOfForm = () => {
  const values = valuesOf(form);
  const body = Object.keys(values).length === 0 ? sample : values;
  showCall({ operation: 'createPet', method: 'POST', path: 'pets', body });
};

const clearOutcome = () => {
  outcome.textContent = '';
  showError(form);
};

export const openForm = () => {
  clearOutcome();
  showCallOfForm();
  drawer.showModal();
  form.elements.name.focus();
};

/** Removes what the visitor has typed, and what the drawer shows about it. */
export const clearForm = () => {
  form.reset();
  clearOutcome();
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
 * Lets the form add animals. `visitSignal` returns the signal of the current visit. `showAdded` shows the new animal, and
 * returns a text about the filters or the order that it changed. `handleKeyError` returns true if it has shown the error.
 */
export const activateForm = (animals, { visitSignal, showAdded, handleKeyError }) => {
  const create = createOnce(animals);

  const showOutcome = async (created, attempts) => {
    clearForm();
    showCallOfForm();
    outcome.className = '';
    outcome.replaceChildren(...addedMessage(created, attempts));
    form.elements.name.focus();
    outcome.append(await showAdded(created.pet));
  };

  const showFailure = (error) => {
    outcome.textContent = '';
    if (!(error instanceof AnimalStoreError)) throw error;
    if (handleKeyError(error)) return;
    showError(form, error);
    if (isOutcomeUnknown(error))
      form.querySelector('[role=alert]').textContent =
        `${messageOf(error)} Press Add again: the animal is stored only once.`;
  };

  onSubmit(form, async () => {
    const signal = visitSignal();
    let attempts = 1;
    const onRetry = () => {
      attempts += 1;
      outcome.className = 'waits';
      outcome.textContent = `The service does not answer. Retrying… (attempt ${attempts})`;
    };
    outcome.textContent = '';
    try {
      const created = await create(valuesOf(form), { signal, onRetry, retryForMs });
      if (!signal.aborted) await showOutcome(created, attempts);
    } catch (error) {
      if (!signal.aborted) showFailure(error);
    }
  });
};

form.addEventListener('input', showCallOfForm);
