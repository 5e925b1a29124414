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

/** True if a file imports the other, directly or through an `index.ts`. */
const doesImport = (file: string, other: string): boolean =>
  importedBy(file).some(
    (found) => found === other || (basename(found) === 'index.ts' && importedBy(found).includes(other)),
  );

/** Returns the files that a name in a comment may mean: in the same folder, or in a folder above it. */
const filesNamed = (name: string, file: string): ReadonlyArray<string> => {
  const folder = dirname(file);
  const path = join(folder, name);
  return [...(existsSync(path) ? [path] : []), ...(folder === '/' ? [] : filesNamed(name, folder))];
};

/** Returns what follows each name of a file in the comments of a file. */
const namesIn = (file: string): ReadonlyArray<readonly [name: string, rest: string]> =>
  [...readFileSync(file, 'utf8').matchAll(/^\s*(?:\/\/|\/?\*).*$/gm)].flatMap(([line]) =>
    [...line.matchAll(/([\w/.-]+\.ts)\b(?=(.*))/g)].map(([, name = '', rest = '']) => [name, rest] as const),
  );

describe('The comments of the product', () => {
  const named = productFiles.flatMap((file) => namesIn(file).map(([name, rest]) => ({ file, name, rest })));
  const problems = (claims: typeof named, isTrue: (file: string, other: string) => boolean) =>
    claims
      .filter(({ file, name }) => !filesNamed(name, file).some((other) => isTrue(file, other)))
      .map(({ file, name }) => `${relative(projectFolder, file)}: ${name}`);

  it('name files that exist', () => {
    expect(named).to.have.length.greaterThan(100);
    expect(problems(named, () => true)).to.deep.equal([]);
  });

  it('call a file a caller only if it imports the file', () => {
    const callers = named.filter(({ rest }) => /^ (?:calls|uses|runs|adds)\b/.test(rest));
    expect(callers).to.have.length.greaterThan(20);
    expect(problems(callers, (file, other) => doesImport(other, file))).to.deep.equal([]);
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
