export { type MalformedJson, parseJson } from './parse-json';
export { serialisePage, serialisePet } from './serialise';
