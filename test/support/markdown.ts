import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './processes/command';

/** A fenced block of a Markdown file. */
export interface MarkdownBlock {
  /** As it stands behind the fence: `sh`, `js`, or nothing. */
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of one of the project's own Markdown files, in their order. */
export const markdownBlocks = (file: string): ReadonlyArray<MarkdownBlock> =>
  [...readFileSync(join(projectFolder, file), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
    ([, language = '', text = '']) => ({ language, text }),
  );

/** The commands of a shell block: a line each, joined where it goes on behind a backslash, without its comment. */
export const shellCommands = ({ text }: MarkdownBlock): ReadonlyArray<string> =>
  text
    .replace(/\\\n */g, '')
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, ''))
    .filter((line) => line !== '');
