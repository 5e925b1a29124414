/* global document */

/** Makes an element, such as `td` or `span.badge.sold`, whose children are elements and texts. */
export const newElement = (nameAndClasses, ...children) => {
  const [name, ...classes] = nameAndClasses.split('.');
  const element = document.createElement(name);
  element.classList.add(...classes);
  // `append` never reads a text as HTML, and writes every digit of a bigint.
  element.append(...children);
  return element;
};

/** Makes a button that does not submit a form. */
export const newButton = (classes, text, onClick) => {
  const button = Object.assign(newElement(`button${classes}`, text), { type: 'button' });
  button.addEventListener('click', onClick);
  return button;
};
