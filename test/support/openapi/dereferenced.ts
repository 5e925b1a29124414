import * as t from 'io-ts';

/** Of an OpenAPI document, what a reference leads to; its schemas are left to a validator of schemas. */
const targetOf = (document: unknown, reference: string): unknown =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((part, name) => (t.UnknownRecord.is(part) ? part[name] : undefined), document);

/** An OpenAPI document with everything in its place that it refers to, but for schemas. */
export const dereferenced = (document: unknown): unknown => {
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (!t.UnknownRecord.is(part)) return part;
    const { $ref } = part;
    if (typeof $ref === 'string' && !$ref.startsWith('#/components/schemas/')) {
      const target = targetOf(document, $ref);
      if (target === undefined) throw new Error(`nothing is at ${$ref}`);
      return resolve(target);
    }
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, resolve(member)]));
  };
  return resolve(document);
};
