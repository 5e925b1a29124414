/** Says something to the person at the terminal. Standard output is for data alone. */
export const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
