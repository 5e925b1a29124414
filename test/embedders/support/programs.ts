import { markdownBlocks } from '../../support/markdown-blocks';

/** The programs on a page: each block whose first line names the file that it is, as in `// store.mjs`. */
export const programs = (page: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    markdownBlocks(page).flatMap(({ text }) => {
      const name = /^\/\/ (\S+\.\w+)$/m.exec(text.split('\n', 1).join())?.[1];
      return name === undefined ? [] : [[name, text]];
    }),
  );
