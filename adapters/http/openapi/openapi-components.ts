import { schemas } from './schemas';
import { headerComponents } from './openapi-headers';
import { exampleComponents, responseComponents } from './openapi-responses';

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const everyComponent: Components = {
  schemas,
  responses: responseComponents,
  headers: headerComponents,
  examples: exampleComponents,
};

const namesIn = (part: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(part).matchAll(/"#\/components\/([\w/-]+)"/g)].flatMap(([, name = '']) => name);

/** The components that a part of a document refers to, those included that they refer to themselves. */
export const componentsOf = (part: unknown): Components => {
  const names = new Set(namesIn(part));
  // A set goes on to what is added while it is walked.
  for (const name of names) {
    const [kind = '', member = ''] = name.split('/');
    namesIn(everyComponent[kind]?.[member] ?? null).forEach((found) => names.add(found));
  }
  return Object.fromEntries(
    Object.entries(everyComponent).map(([kind, members]) => [
      kind,
      Object.fromEntries(Object.entries(members).filter(([member]) => names.has(`${kind}/${member}`))),
    ]),
  );
};
