import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './processes/command';

export interface MarkdownBlock {
  /** Language after the opening fence, such as `sh` or `js`; empty without one. */
  readonly language: string;
  readonly text: string;
}

/** Returns the fenced blocks of one of the project's Markdown files, in order. */
export const markdownBlocks = (file: string): ReadonlyArray<MarkdownBlock> =>
  [...readFileSync(join(projectFolder, file), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
    ([, language = '', text = '']) => ({ language, text }),
  );

/** Returns the commands of a shell block, without comments. A line that ends in a backslash is joined with the next. */
export const shellCommands = ({ text }: MarkdownBlock): ReadonlyArray<string> =>
  text
    .replace(/\\\n */g, '')
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, ''))
    .filter((line) => line !== '');
