import type { TraceContext } from '../protocol/trace-context';

/** One request that has ended, as a log may show it: no query, no credential, no body. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The template of the route that took it, as in `/v1/pets/:petId`; none when no route did. */
  readonly route: string | undefined;
  /** What was answered; 499 when the client was gone before that. */
  readonly status: number;
  readonly milliseconds: number;
  /** By which key, and whose, once that is known. */
  readonly keyId: string | undefined;
  readonly owner: string | undefined;
  readonly isDeprecated: boolean;
  readonly trace: TraceContext | undefined;
  /** As the socket has it, or where proxies are trusted, as the outermost of them wrote it. */
  readonly clientAddress: string | undefined;
}

/** A request that was answered before the application saw it: for overload, or because it is no HTTP. */
export type RejectionRecord = Pick<RequestRecord, 'requestId' | 'status' | 'clientAddress'>;

/** Where the service reports to. Nothing of it may throw. */
export interface Reporter {
  /** A request has been let in, or waits to be; `requestEnded` follows. */
  readonly requestStarted?: () => void;
  readonly requestEnded: (record: RequestRecord) => void;
  readonly requestRejected: (record: RejectionRecord) => void;
  /** Why a request was answered with Unavailable or Defect: for the log alone. */
  readonly error: (cause: unknown, requestId: string) => void;
}
