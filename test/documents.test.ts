import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { projectFolder } from './support/processes/command';
import { commentProblems, difficultWords } from './support/plain-english.mjs';

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return [path];
    const isOurs = entry.isDirectory() && !/^(?:\.|node_modules$|dist$)/.test(entry.name);
    return isOurs ? filesIn(path) : [];
  });

const allFiles = filesIn(projectFolder);

const isResult = (file: string): boolean => file.endsWith('RESULTS.md');

/** Text of each Markdown file of the project, by path. */
const pages = new Map(
  allFiles
    .filter((file) => file.endsWith('.md') && !isResult(file))
    .map((file) => [relative(projectFolder, file), readFileSync(file, 'utf8')]),
);

const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '');

/** Returns the anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

const anchorsIn = (file: string): ReadonlyArray<string> =>
  [...withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    anchorOf(heading),
  );

const linksIn = (text: string): ReadonlyArray<string> =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

const leadsSomewhere = (page: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? join(projectFolder, page) : join(projectFolder, dirname(page), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || (statSync(file).isFile() && anchorsIn(file).includes(anchor));
};

describe('The documents', () => {
  it('have links that lead to files and headings', () => {
    const broken = [...pages].flatMap(([page, text]) =>
      linksIn(text)
        .filter((link) => !leadsSomewhere(page, link))
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('name tests that exist', () => {
    const names = new Set(allFiles.map((file) => basename(file)));
    const named = [...pages].flatMap(([page, text]) =>
      [...withoutCode(text).matchAll(/([\w/.-]+\.(?:test|slow|load|engine)\.ts)/g)].map(
        ([, name = '']) => [page, name] as const,
      ),
    );
    expect(named).to.have.length.greaterThan(30);
    expect(named.filter(([, name]) => !names.has(basename(name)))).to.deep.equal([]);
  });

  it('are listed in docs/README.md', () => {
    const listed = linksIn(pages.get('docs/README.md') ?? '');
    const others = readdirSync(join(projectFolder, 'docs')).filter(
      (name) => name.endsWith('.md') && name !== 'README.md',
    );
    expect(listed).to.include.members(others);
  });

  it('are in plain English', () => {
    const written = [...pages].filter(([page]) => basename(page) !== 'PUBLIC-NAMES.md');
    const problems = written.flatMap(([page, text]) =>
      withoutCode(text)
        .split('\n')
        .flatMap((line) => difficultWords(line).map((problem) => `${page}: ${problem}: ${line}`)),
    );
    expect(problems).to.deep.equal([]);
  });
});

const productFiles = ['core', 'adapters', 'app'].flatMap((folder) =>
  filesIn(join(projectFolder, folder)).filter((file) => file.endsWith('.ts')),
);

const importedBy = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)].map(([, path = '']) => {
    const target = join(dirname(file), path.replace(/\.js$/, ''));
    return existsSync(`${target}.ts`) ? `${target}.ts` : join(target, 'index.ts');
  });

/** Files that a file imports, directly or through an `index.ts`. */
const importsOf = (file: string): ReadonlyArray<string> =>
  importedBy(file).flatMap((found) => [found, ...(basename(found) === 'index.ts' ? importedBy(found) : [])]);

const imports = new Map(productFiles.map((file) => [file, importsOf(file)]));

/** True if a file imports the other, directly or through a third file. */
const reaches = (file: string, other: string): boolean => {
  const found = imports.get(file) ?? [];
  return [...found, ...found.flatMap((next) => imports.get(next) ?? [])].includes(other);
};

/** Returns the files that a name in a comment may mean: in the same folder, or in a folder above it. */
const filesNamed = (name: string, file: string): ReadonlyArray<string> => {
  const folder = dirname(file);
  const isRoot = folder === projectFolder || folder === dirname(folder);
  const path = join(folder, name);
  return [...(existsSync(path) ? [path] : []), ...(isRoot ? [] : filesNamed(name, folder))];
};

describe('The comments of the product', () => {
  it('name files that exist, and that import the file or are imported by it', () => {
    const named = productFiles.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^\s*(?:\/\/|\/?\*).*$/gm)].flatMap(([line]) =>
        [...line.matchAll(/[\w/.-]+\.ts\b/g)].map(([name]) => [file, name] as const),
      ),
    );
    const isTrue = ([file, name]: readonly [string, string]): boolean =>
      filesNamed(name, file).some(
        (other) => name.startsWith('test/') || reaches(file, other) || reaches(other, file),
      );
    expect(named).to.have.length.greaterThan(30);
    expect(named.filter((each) => !isTrue(each)).map((each) => each.join(': '))).to.deep.equal([]);
  });
});

describe('The check for plain English in comments', () => {
  const long = Array.from({ length: 26 }, () => 'word').join(' ');
  const bad: ReadonlyArray<readonly [comment: string, problem: RegExp]> = [
    ['Whether it is over.', /starts with "Whether"/],
    ['Closes the file in vain.', /"in vain"/],
    [`Returns ${long}.`, /27 words/],
  ];
  for (const [comment, problem] of bad) {
    it(`refuses: ${comment.slice(0, 30)}`, () => {
      expect(commentProblems(comment).join()).to.match(problem);
    });
  }

  it('accepts short sentences and code', () => {
    expect(commentProblems('Returns `whether nobody` waits. Never throws.')).to.deep.equal([]);
  });
});
