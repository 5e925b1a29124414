export { type AnimalStoreClient, AnimalStoreError, parseJson, toJson } from './client';
export {
  decodeOrThrow,
  type FieldError,
  fieldErrors,
  fieldErrorTexts,
  type FromDecodeOrThrow,
  inDecimal,
  Int64,
} from './codec';
export * from './embedded-client';
export * from './keys';
export * from './operations';
export * from './pets';
export * from './ports';
