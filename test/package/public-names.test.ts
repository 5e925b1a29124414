import { expect } from 'chai';
import ts from 'typescript';
import { libraryEntries } from '../support/packages';

const maxNames = 95;

const sources = libraryEntries().map(([, source]) => source);

/** Returns each name that the package exports, with its docstring. */
const publicNames = (): ReadonlyMap<string, string> => {
  const program = ts.createProgram(sources, { module: ts.ModuleKind.Node20, strict: true, types: [] });
  const checker = program.getTypeChecker();
  const namesOf = (source: string) => {
    const file = program.getSourceFile(source);
    const entry = file && checker.getSymbolAtLocation(file);
    return entry === undefined ? expect.fail(`${source} is no module`) : checker.getExportsOfModule(entry);
  };
  return new Map(
    sources.flatMap(namesOf).map((symbol) => {
      const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return [symbol.name, ts.displayPartsToString(declared.getDocumentationComment(checker))] as const;
    }),
  );
};

describe('The public names', () => {
  let names: ReturnType<typeof publicNames>;
  before(() => {
    names = publicNames();
  });

  it('have a docstring each', () => {
    expect([...names].filter(([, docstring]) => docstring === '').map(([name]) => name)).to.deep.equal([]);
  });

  it(`are at most ${maxNames}`, () => {
    expect([...names.keys()]).to.have.lengthOf.at.most(maxNames);
  });
});
