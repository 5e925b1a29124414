/* global document */

export const find = (selector) => document.querySelector(selector);

export const show = (selector, isShown) => (find(selector).hidden = !isShown);

/** Makes an element, such as `td` or `span.badge.sold`, whose children are elements and texts. */
export const newElement = (nameAndClasses, ...children) => {
  const [name, ...classes] = nameAndClasses.split('.');
  const element = document.createElement(name);
  element.classList.add(...classes);
  // `append` never reads a text as HTML, and writes every digit of a bigint.
  element.append(...children);
  return element;
};

/** Makes an element with code, which a browser does not translate. */
export const newCode = (text) => Object.assign(newElement('code', text), { translate: false });

/** Makes a block of code that the keyboard can scroll. Returns the element of the code, and the block around it. */
export const newCodeBlock = () => {
  const code = newElement('code');
  const block = newElement('pre', code);
  return [code, Object.assign(block, { tabIndex: 0, role: 'group', translate: false })];
};

/** Makes a button that does not submit a form. */
export const newButton = (classes, text, onClick) => {
  const button = Object.assign(newElement(`button${classes}`, text), { type: 'button' });
  button.addEventListener('click', onClick);
  return button;
};
