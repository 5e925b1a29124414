/** The path alone: a request target that is a whole address may hold a credential, or name anyone's host. */
export const pathOf = (target: string): string => {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  if (path.startsWith('/')) return path;
  return URL.canParse(path) ? new URL(path).pathname : '';
};
