/** Of a request's head, in bytes: RFC 9112, section 3, asks for 8,000 in the request line alone. */
export const maxHeadSize = 16_384;

/** Of a request's body, in bytes. */
export const maxBodySize = 100_000;

/**
 * In milliseconds, from a request's arrival: its deadline. Whatever does not keep it is answered for within the next 100,
 * so that every response is decided within 5 s.
 */
export const responseTimeout = 4_000;
