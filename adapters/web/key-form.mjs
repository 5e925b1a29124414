/* global document */
import { animalStoreClient } from './client.mjs';
import { keyErrorOf } from './forms.mjs';
import { baseUrl, keepKey, readKey, removeKey } from './session.mjs';

const find = (selector) => document.querySelector(selector);

/** Tries a key. Returns why it can't be used, or undefined. */
const faultOf = async (apiKey) => {
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
  const [form, field, hint, state] = ['#enter', '#api-key', '#key-hint', '#key-state'].map(find);

  const showHint = (fault = '') => {
    hint.textContent = fault || 'This tab keeps the key until you close it.';
    hint.classList.toggle('wrong', fault !== '');
    if (fault === '') field.removeAttribute('aria-invalid');
    else field.setAttribute('aria-invalid', 'true');
  };

  const show = () => {
    const hasKey = readKey() !== '';
    state.firstElementChild.textContent = `✓ Requests from this page send the key …${readKey().slice(-4)}`;
    find('#sign-out').hidden = state.hidden = !hasKey;
    form.hidden = hasKey;
    field.value = '';
    showHint();
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
    const fault = await faultOf(value);
    if (fault === undefined) {
      keepKey(value);
      show();
    } else showHint(fault);
    return fault;
  };

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const hadFocus = form.contains(document.activeElement);
    if ((await useTypedKey()) !== undefined) enterKey();
    else if (form.hidden && hadFocus) state.lastElementChild.focus();
  });
  field.addEventListener('input', () => showHint());
  state.lastElementChild.addEventListener('click', enterKey);
  find('#sign-out').addEventListener('click', () => {
    removeKey();
    show();
    field.focus();
  });
  return { show, enterKey, useTypedKey };
};
