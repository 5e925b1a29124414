// The service loads this file first. It makes functions of JavaScript throw for requests that name a defect.

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

// Throws when the handler of listPets starts.
const { getAll } = URLSearchParams.prototype;
URLSearchParams.prototype.getAll = function (name) {
  for (const [, value] of this) throwAsked(value);
  return getAll.call(this, name);
};

// Throws between the reading and the parsing of the body of createPet.
const { replace } = String.prototype;
String.prototype.replace = function (...parts) {
  if (this.startsWith('{')) throwAsked(String(this));
  return replace.apply(this, parts);
};

// Throws after the database has answered getPet or listPets.
const { toString } = BigInt.prototype;
const isServed = () => new Error().stack.includes('serialise');
BigInt.prototype.toString = function (...parts) {
  if (this.valueOf() === 7_777_777_777n && isServed()) throw thrown.error();
  return toString.apply(this, parts);
};
