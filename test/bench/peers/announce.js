/** Tells the bench, in the words of the service, where a peer serves. */
export const announce = (port) => {
  process.stderr.write(`serves http://127.0.0.1:${port}\n`);
};
