import { type MarkdownBlock, markdownBlocks } from '../../support/markdown';

/** The file that a block says it is, as in `// store.mjs`. */
const nameOf = ({ text }: MarkdownBlock): string | undefined => /^\/\/ (\S+\.\w+)\n/.exec(text)?.[1];

/** The programs on a page: each block whose first line names the file that it is. */
export const programs = (page: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    markdownBlocks(page).flatMap((block) => {
      const name = nameOf(block);
      return name === undefined ? [] : [[name, block.text]];
    }),
  );

/** What the page says that its programs print: the block without a language right behind each of them. */
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
