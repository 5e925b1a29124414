import { addressOf, jsonOf } from './programs.mjs';
import { readKey } from './session.mjs';

const reviveExactly = (_name, value, { source }) =>
  typeof value === 'number' ? JSON.rawJSON(source) : value;

/**
 * Indents JSON without rounding its numbers. Returns other texts unchanged. Without `JSON.rawJSON`, returns all texts
 * unchanged.
 */
const indentExactly = (text) => {
  try {
    return typeof JSON.rawJSON === 'function'
      ? JSON.stringify(JSON.parse(text, reviveExactly), null, 2)
      : text;
  } catch {
    return text;
  }
};

/** Sends a call with the key of the tab. Returns the response, its text and how long it took. */
export const sendCall = async ({ headers, body, ...call }) => {
  const isPost = call.method === 'POST';
  const began = performance.now();
  const response = await fetch(addressOf(call), {
    method: call.method,
    headers: {
      ...(readKey() !== '' && { Authorization: `Bearer ${readKey()}` }),
      ...(isPost && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(isPost && { body: jsonOf(body) }),
  });
  const text = indentExactly(await response.text());
  return { response, text, milliseconds: Math.round(performance.now() - began) };
};
