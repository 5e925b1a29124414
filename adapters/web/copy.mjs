/* global document, navigator, setTimeout */
import { newButton } from './elements.mjs';

const shownMs = 1_500;

/** Copies by a selection, because browsers offer the clipboard only over TLS and on localhost. */
const copySelected = (text, parent) => {
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'visually-hidden';
  parent.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
};

/** Copies a text, and shows `Copied` on the button for a moment. */
export const copyText = async (button, text) => {
  if (navigator.clipboard === undefined) {
    copySelected(text, button.parentElement);
    button.focus();
  } else await navigator.clipboard.writeText(text);
  for (const other of document.querySelectorAll('[data-copied]')) delete other.dataset.copied;
  button.dataset.copied = 'Copied';
  setTimeout(() => delete button.dataset.copied, shownMs);
};

/** Makes a button that copies `text`. The accessible label of the button contains `name`. */
export const newCopyButton = (name, text) => {
  const button = newButton('', 'Copy', () => void copyText(button, text));
  button.setAttribute('aria-label', `Copy ${name}`);
  return button;
};
