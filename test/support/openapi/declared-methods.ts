import document from '../../../adapters/http/openapi.json';
import { decodeDocument } from './document';

const { paths } = decodeDocument(document);

/**
 * Returns the methods that the OpenAPI document declares at these paths, or at all paths if none are given. HEAD
 * mirrors GET.
 */
export const declaredMethods = (...at: ReadonlyArray<string>): ReadonlyArray<string> => {
  const items = Object.entries(paths).filter(([path]) => at.length === 0 || at.includes(path));
  const methods = items.flatMap(([, item]) => Object.keys(item)).map((method) => method.toUpperCase());
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
};
