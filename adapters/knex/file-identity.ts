import { statSync } from 'node:fs';

const identityOf = (filename: string): string | undefined => {
  const file = statSync(filename, { bigint: true, throwIfNoEntry: false });
  return file && `${file.dev} ${file.ino}`;
};

/** Whether the file at a path is still the one that was there at first; a look costs microseconds. */
export const fileIdentity = (filename: string) => {
  let first: string | undefined;
  return {
    /** To be called when the file has been opened. */
    remember: (): void => {
      first ??= identityOf(filename);
    },
    hasChanged: (): boolean => first !== undefined && first !== identityOf(filename),
  };
};
