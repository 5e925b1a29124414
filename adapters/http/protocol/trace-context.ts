/** Where a request stands in a distributed trace: its sender's ids, in lower-case hexadecimal. */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
}

// Version 00 ends after the flags; a later one may go on behind a dash; ff is none. Ids of zeros are invalid.
const grammar =
  /^(?:00(?=.{53}$)|(?!00|ff)[0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;

/** The ids in a `traceparent` header (W3C Trace Context, section 3.2); a header that breaks the grammar has none. */
export const traceContext = (traceparent: string): TraceContext | undefined => {
  const [, traceId, parentId] = grammar.exec(traceparent) ?? [];
  return traceId === undefined || parentId === undefined ? undefined : { traceId, parentId };
};
