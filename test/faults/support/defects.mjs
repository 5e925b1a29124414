// Loaded into the service before it starts. Functions of the language throw for requests that name a defect.

import { URLSearchParams } from 'node:url';

const thrown = {
  error: () => new TypeError('a defect that was put here'),
  text: () => 'a defect that is not an Error',
  nothing: () => undefined,
  object: () => Object.create(null),
};

const throwAsked = (text) => {
  const kind = /a-defect-of-kind-([a-z]+)/.exec(text)?.[1];
  if (kind !== undefined) throw thrown[kind]();
};

// Before the handler of listPets does anything.
const { getAll } = URLSearchParams.prototype;
URLSearchParams.prototype.getAll = function (name) {
  for (const [, value] of this) throwAsked(value);
  return getAll.call(this, name);
};

// Between the body of createPet and its parser.
const { replace } = String.prototype;
String.prototype.replace = function (...parts) {
  if (this.startsWith('{')) throwAsked(String(this));
  return replace.apply(this, parts);
};

// After the database has answered getPet or listPets.
const { toString } = BigInt.prototype;
const isServed = () => new Error().stack.includes('serialise');
BigInt.prototype.toString = function (...parts) {
  if (this.valueOf() === 7_777_777_777n && isServed()) throw thrown.error();
  return toString.apply(this, parts);
};
