import { copyText } from './copy.mjs';
import { newButton, newCodeBlock, newElement } from './elements.mjs';
import { showCode } from './highlight.mjs';
import { languages } from './programs.mjs';
import { readKey } from './session.mjs';

let language = 'curl';
const panels = new Set();

/** Shows the examples again, in another language, or after the key of the tab has changed. */
export const updateExamples = () => {
  for (const update of panels) update();
};

/**
 * Adds a choice of language and two copy buttons to a panel, one with `$API_KEY` and one with the key of the tab.
 * Returns a function that sets the call to show.
 */
export const showExamples = (panel) => {
  const [code, example] = newCodeBlock();
  const buttons = Object.keys(languages).map((name) =>
    newButton('', name, () => {
      language = name;
      updateExamples();
    }),
  );
  const group = Object.assign(newElement('div', ...buttons), { role: 'group' });
  group.setAttribute('aria-label', 'Language');
  let call;
  const copy = newButton('', 'Copy', () => void copyText(copy, languages[language](call)));
  const copyWithKey = newButton(
    '',
    'Copy with the key',
    () => void copyText(copyWithKey, languages[language](call, readKey())),
  );
  const update = () => {
    copyWithKey.hidden = readKey() === '';
    for (const button of buttons)
      button.setAttribute('aria-pressed', String(button.textContent === language));
    example.setAttribute('aria-label', `Example for ${language}`);
    showCode(code, languages[language](call));
  };
  panel.classList.add('code');
  panel.append(newElement('div.code-bar', group, newElement('div', copy, copyWithKey)), example);
  return (next) => {
    call = next;
    panels.add(update);
    update();
  };
};
