// Older releases of Node 20 let bytes through that no address has; Koa would look for a host in such a target.
const fragmentOrInvalid = /#|[^!-~]/;

/**
 * The path and query of a request target, which is one or a whole address (RFC 9112, section 3.2), as they stand there;
 * undefined for any other.
 */
export const originForm = (target: string): string | undefined => {
  if (fragmentOrInvalid.test(target)) return undefined;
  if (target.startsWith('/')) return target;
  const [, pathAndQuery] = /^https?:\/\/[^/?\\]+(.*)$/i.exec(target) ?? [];
  if (pathAndQuery === undefined || !URL.canParse(target)) return undefined;
  return pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`;
};

/**
 * The path alone, as the routes see it: a request target that is a whole address may hold a credential, or name anyone's
 * host. Empty where there is none.
 */
export const pathOf = (target: string): string => {
  const pathAndQuery = target.startsWith('/') ? target : (originForm(target) ?? '');
  const end = pathAndQuery.indexOf('?');
  return end === -1 ? pathAndQuery : pathAndQuery.slice(0, end);
};
