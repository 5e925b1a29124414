import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { projectFolder } from './support/processes/command';

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return [path];
    const isOurs = entry.isDirectory() && !/^(?:\.|node_modules$|dist$)/.test(entry.name);
    return isOurs ? filesIn(path) : [];
  });

const allFiles = filesIn(projectFolder);

/** Text of each Markdown file of the project, by path. */
const pages = new Map(
  allFiles
    .filter((file) => file.endsWith('.md'))
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
      [...withoutCode(text).matchAll(/([\w/.-]+\.(?:test|slow|engine)\.ts)/g)].map(
        ([, name = '']) => [page, name] as const,
      ),
    );
    expect(named.filter(([, name]) => !names.has(basename(name)))).to.deep.equal([]);
  });

  it('are listed in docs/README.md', () => {
    const listed = linksIn(pages.get('docs/README.md') ?? '');
    const others = readdirSync(join(projectFolder, 'docs')).filter(
      (name) => name.endsWith('.md') && name !== 'README.md',
    );
    expect(listed).to.include.members(others);
  });

  it('have a row in ARCHITECTURE.md for each package', () => {
    const adapters = readdirSync(join(projectFolder, 'adapters')).map((name) => `adapters/${name}`);
    for (const name of ['core', ...adapters, 'app', 'test']) {
      expect(pages.get('ARCHITECTURE.md'), name).to.match(new RegExp(`^\\|[^|]*\`${name}\``, 'm'));
    }
  });
});
