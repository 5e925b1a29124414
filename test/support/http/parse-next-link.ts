/** The target of the next page in a `Link` header with `rel="next"` (RFC 8288), if there is the header. */
export const parseNextLink = (link: string | undefined): string | undefined => {
  if (link === undefined) return undefined;
  const [, address] = /^<([^<>\s]*)>; rel="next"$/.exec(link) ?? [];
  if (address === undefined) throw new Error(`no Link to a next page: ${link}`);
  const { pathname, search } = new URL(address, 'http://localhost/v1/pets');
  return `${pathname}${search}`;
};
