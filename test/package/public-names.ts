import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as t from 'io-ts';
import ts from 'typescript';
import { decodeOrThrow } from '../../core';

/** A name that an entry of the package exports. */
export interface PublicName {
  readonly name: string;
  /** First sentence of the docstring; empty without a docstring. */
  readonly line: string;
}

/** Names that each entry of the package, such as `animal-store/core`, exports in alphabetical order. */
export type PublicNames = ReadonlyMap<string, ReadonlyArray<PublicName>>;

const root = join(__dirname, '../..');

const Manifest = t.type({
  name: t.string,
  exports: t.record(t.string, t.union([t.string, t.type({ types: t.string })])),
});

const sourceOf = (types: string): string =>
  join(root, types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.ts'));

/** Returns the entries of the package, each with its source file. */
export const entries = (): ReadonlyArray<readonly [entry: string, source: string]> => {
  const manifest = decodeOrThrow(
    Manifest,
    JSON.parse(readFileSync(join(root, 'deploy/packages/library.json'), 'utf8')),
  );
  return Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [[manifest.name + path.slice(1), sourceOf(target.types)] as const],
  );
};

const firstSentence = (text: string): string =>
  (/^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text).replace(/\s+/g, ' ');

const publicName =
  (checker: ts.TypeChecker) =>
  (symbol: ts.Symbol): PublicName => {
    const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const text = ts.displayPartsToString(declared.getDocumentationComment(checker));
    return { name: symbol.name, line: firstSentence(text) };
  };

const byName = (one: PublicName, other: PublicName): number => (one.name < other.name ? -1 : 1);

/** Reads the exported names and their docstrings from the sources. */
export const publicNames = (): PublicNames => {
  const sources = entries();
  const program = ts.createProgram(
    sources.map(([, source]) => source),
    { module: ts.ModuleKind.Node20, strict: true, types: [] },
  );
  const checker = program.getTypeChecker();
  const namesOf = (source: string): ReadonlyArray<PublicName> => {
    const file = program.getSourceFile(source);
    const entry = file && checker.getSymbolAtLocation(file);
    if (entry === undefined) throw new Error(`${source} is no module`);
    return checker.getExportsOfModule(entry).map(publicName(checker)).sort(byName);
  };
  return new Map(sources.map(([entry, source]) => [entry, namesOf(source)]));
};

const lineLength = 118;

/** Breaks a list of words into lines. */
const wrap = (words: ReadonlyArray<string>): string => {
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length >= lineLength) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
};

/** Returns the text of PUBLIC-NAMES.md. */
export const publicNamesPage = (names: PublicNames): string =>
  [
    '# Public names',
    'What each entry of the package exports. `npm run format` writes this page.',
    ...[...names].map(([entry, exported]) => `## ${entry}\n\n${wrap(exported.map(({ name }) => name))}`),
  ].join('\n\n') + '\n';

if (require.main === module) {
  writeFileSync(join(__dirname, 'PUBLIC-NAMES.md'), publicNamesPage(publicNames()));
}
