import { maxPageSize, newPetRules } from '../../core/rules';
import { isString } from '../../core/validation';
import { type ErrorCode, errorStatuses } from '../failures';
import { AnimalStoreError } from './animal-store-error';
import { parseJson } from './json';
import { isFunction, propertyOf } from './values';

export interface Success {
  readonly response: Response;
  readonly body: unknown;
}

/** Reads a successful response. Throws the error that a failed response reports, or `unexpected_response`. */
export const readResponse = async (response: Response): Promise<Success> => {
  const text = await readText(response);
  const body = parseBody(response, text);
  if (!response.ok) throw failureOf(response, body, text);
  return { response, body };
};

/**
 * Maximum size of a response, so that an endless response fails. It is 1 MB more than a page of the longest names, with
 * each character escaped in 12 bytes.
 */
const maxResponseBytes = maxPageSize * (12 * newPetRules.name.maxLength + 200) + 1_000_000;

const readText = async (response: Response): Promise<string> => {
  // Reads the text at once if the response has no stream: it has no content, or comes from a polyfill of fetch.
  const isStream = isFunction(propertyOf(response.body, 'getReader'));
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = isStream
    ? response.body?.getReader()
    : undefined;
  if (reader === undefined) {
    const whole: unknown = await response.text();
    return String(whole);
  }
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxResponseBytes) {
      await reader.cancel();
      throw unexpectedResponse(response, `the body has more than ${maxResponseBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
};

const parseBody = (response: Response, text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    throw unexpectedResponse(response, text);
  }
};

const failureOf = (response: Response, body: unknown, text: string): AnimalStoreError => {
  const code = propertyOf(body, 'code');
  const message = propertyOf(body, 'message');
  if (!isServiceCode(code) || !isString(message)) return unexpectedResponse(response, text);
  return new AnimalStoreError(code, message, detailsOf(response));
};

const isServiceCode = (code: unknown): code is ErrorCode =>
  isString(code) && Object.hasOwn(errorStatuses, code);

export const unexpectedResponse = (response: Response, text: string): AnimalStoreError => {
  const { status, ...details } = detailsOf(response);
  const target = status >= 300 && status < 400 ? response.headers.get('Location') : null;
  const content = target === null ? text : `a redirect to ${target}; check baseUrl`;
  const message = `unexpected response with status ${status}: ${content.slice(0, shownLength)}`;
  return unexpected(message, { ...details, status: status < 400 ? undefined : status });
};

const shownLength = 200;

export const unexpected = (message: string, details = {}): AnimalStoreError =>
  new AnimalStoreError('unexpected_response', message, details);

export const detailsOf = ({ status, headers }: Response) => ({
  status,
  requestId: headers.get('X-Request-Id') ?? undefined,
  retryAfterMs: retryAfterMsOf(headers),
});

/** Returns the pause that a valid `Retry-After` asks for (RFC 9110, section 10.2.3), or undefined. */
const retryAfterMsOf = (headers: Headers): number | undefined => {
  const text = headers.get('Retry-After') ?? '';
  const seconds = /^\s*(\d+(?:\.\d+)?)/.exec(text)?.[1];
  if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  const milliseconds = /^\s*[a-z]/i.test(text) ? Date.parse(text) - Date.now() : NaN;
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
};
