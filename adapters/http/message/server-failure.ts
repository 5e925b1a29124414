/** Failure of a request that the HTTP server rejects. */
export type ServerFailure =
  | {
      readonly _tag: 'ExpectationFailed' | 'HeadersTooLarge' | 'HttpVersionNotSupported' | 'RequestTimeout';
    }
  | { readonly _tag: 'MalformedRequest'; readonly reason: string }
  | { readonly _tag: 'MethodNotAllowed'; readonly allowed: ReadonlyArray<string> }
  | { readonly _tag: 'PayloadTooLarge'; readonly hasLongChunkExtensions?: true };
