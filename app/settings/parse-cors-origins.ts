const shape = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#@*\s]+$/i;

/** As a browser writes it in an Origin header: in lower case, without a default port. */
const toOrigin = (text: string): unknown => {
  if (!shape.test(text) || !URL.canParse(text)) return undefined;
  const { origin, protocol, host } = new URL(text);
  return origin === 'null' ? `${protocol}//${host.toLowerCase()}` : origin;
};

/** The origins in `*` or `scheme://host[:port],...`; what is no origin becomes undefined. */
export const parseCorsOrigins = (text: string): ReadonlyArray<unknown> =>
  text === '*' ? ['*'] : text.split(',').map((origin) => toOrigin(origin.trim()));
