import { type MarkdownBlock, markdownBlocks } from '../../support/markdown';

/** Returns the file name in the first line of a block, such as `// store.mjs`. */
const nameOf = ({ text }: MarkdownBlock): string | undefined => /^\/\/ (\S+\.\w+)\n/.exec(text)?.[1];

/** Returns the programs on a page: the blocks whose first line is a file name. */
export const programs = (page: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    markdownBlocks(page).flatMap((block) => {
      const name = nameOf(block);
      return name === undefined ? [] : [[name, block.text]];
    }),
  );

/** Returns the output that a page shows for its programs: the block without a language directly after each program. */
export const outputs = (page: string): Readonly<Record<string, string>> => {
  const blocks = markdownBlocks(page);
  return Object.fromEntries(
    blocks.flatMap((block, index) => {
      const name = nameOf(block);
      const next = blocks[index + 1];
      return name !== undefined && next?.language === '' ? [[name, next.text]] : [];
    }),
  );
};
