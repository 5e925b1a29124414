import { factsOfDocument } from './document-facts';
import { observeProgram } from './observations';
import { factsOfProgram } from './program-facts';

/** Observes the program. Returns a function that lists the differences between an OpenAPI document and the program. */
export const observeDifferences = async (): Promise<(document: unknown) => ReadonlyArray<string>> => {
  const program = factsOfProgram(await observeProgram());
  return (document) => {
    const facts = factsOfDocument(document);
    return [
      ...[...program].filter((fact) => !facts.has(fact)).map((fact) => `lacks: ${fact}`),
      ...[...facts].filter((fact) => !program.has(fact)).map((fact) => `is wrong: ${fact}`),
    ];
  };
};
