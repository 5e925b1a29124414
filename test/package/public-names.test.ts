import { expect } from 'chai';
import ts from 'typescript';
import { libraryEntries } from '../support/packages';

const maxNames = 118;

const sources = libraryEntries().map(([, source]) => source);

const program = (): ts.Program =>
  ts.createProgram(sources, { module: ts.ModuleKind.Node20, strict: true, types: [] });

const exportsOf = (checker: ts.TypeChecker, file: ts.SourceFile | undefined): ReadonlyArray<ts.Symbol> => {
  const entry = file && checker.getSymbolAtLocation(file);
  if (entry === undefined) return expect.fail('the source is no module');
  return checker
    .getExportsOfModule(entry)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
};

const docstringOf = (checker: ts.TypeChecker, symbol: ts.Symbol): string =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker));

/** Returns each name that the package exports, with its docstring. */
const publicNames = (): ReadonlyMap<string, string> => {
  const made = program();
  const checker = made.getTypeChecker();
  return new Map(
    sources
      .flatMap((source) => exportsOf(checker, made.getSourceFile(source)))
      .map((symbol) => [symbol.name, docstringOf(checker, symbol)] as const),
  );
};

/** Returns the properties of the types that the client exports, such as `Pet.name`, each with its docstring. */
const clientProperties = (): ReadonlyArray<readonly [name: string, docstring: string]> => {
  const made = program();
  const checker = made.getTypeChecker();
  const source = sources.find((file) => file.endsWith('adapters/client/index.ts')) ?? '';
  const types = exportsOf(checker, made.getSourceFile(source)).filter(
    ({ flags }) => flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class | ts.SymbolFlags.TypeAlias),
  );
  return types.flatMap((type) =>
    checker
      .getDeclaredTypeOfSymbol(type)
      .getProperties()
      .filter((property) => property.declarations?.some((declared) => !isOfLibrary(declared)))
      .map((property) => [`${type.name}.${property.name}`, docstringOf(checker, property)] as const),
  );
};

const isOfLibrary = (declared: ts.Declaration): boolean =>
  declared.getSourceFile().fileName.includes('node_modules');

describe('The public names', () => {
  let names: ReturnType<typeof publicNames>;
  before(() => {
    names = publicNames();
  });

  it('have a docstring each, without the names of files', () => {
    const texts = [...names, ...clientProperties()];
    expect(texts.filter(([, docstring]) => docstring === '').map(([name]) => name)).to.deep.equal([]);
    const withFiles = texts.filter(([, docstring]) => /\b(?:adapters|core|app)\/|\.ts\b/.test(docstring));
    expect(withFiles.map(([name]) => name)).to.deep.equal([]);
  });

  it('of the client need no later library of types than ES2022', () => {
    const source = sources.filter((file) => file.endsWith('adapters/client/index.ts'));
    const lib = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'];
    const checked = ts.createProgram(source, {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.Node20,
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      types: [],
      lib,
    });
    const texts = ts.getPreEmitDiagnostics(checked).map(({ messageText }) => messageText);
    expect(texts).to.deep.equal([]);
  });

  it(`are at most ${maxNames}`, () => {
    expect([...names.keys()]).to.have.lengthOf.at.most(maxNames);
  });
});
