/* global document */
import { animalStoreClient } from './client.mjs';
import { find, show } from './elements.mjs';
import { keyErrorOf, showHint } from './forms.mjs';
import { baseUrl, keepKey, readKey, removeKey } from './session.mjs';

/** Tries a key. Returns a text if the key can't be used, otherwise undefined. */
const tryKey = async (apiKey) => {
  const error = await animalStoreClient({ baseUrl, apiKey: () => apiKey, retryForMs: 0 })
    .page({ pageSize: 1 })
    .catch((cause) => cause);
  return error instanceof Error ? keyErrorOf(error) : undefined;
};

/**
 * Connects the form of the API key with the key of the tab, and calls `onChange` after each change of this key.
 * `useTypedKey` keeps the key in the field, or returns why it can't be used.
 */
export const keyForm = (onChange) => {
  const [form, field, state] = ['#enter', '#api-key', '#key-state'].map(find);

  const showState = () => {
    const hasKey = readKey() !== '';
    state.firstElementChild.textContent = `✓ Requests from this page send the key …${readKey().slice(-4)}`;
    for (const selector of ['#sign-out', '#key-state']) show(selector, hasKey);
    show('#enter', !hasKey);
    field.value = '';
    showHint(field);
    onChange();
  };

  const enterKey = () => {
    form.hidden = false;
    field.focus();
    field.select();
  };

  const useTypedKey = async () => {
    const { value } = field;
    if (value === '') return undefined;
    const keyError = await tryKey(value);
    if (keyError === undefined) {
      keepKey(value);
      showState();
    } else showHint(field, keyError);
    return keyError;
  };

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const hadFocus = form.contains(document.activeElement);
    if ((await useTypedKey()) !== undefined) enterKey();
    else if (form.hidden && hadFocus) state.lastElementChild.focus();
  });
  state.lastElementChild.addEventListener('click', enterKey);
  find('#sign-out').addEventListener('click', () => {
    removeKey();
    showState();
    field.focus();
  });
  return { showState, enterKey, useTypedKey };
};
