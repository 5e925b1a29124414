import type { Middleware } from '../context';
import { setHeaders } from '../respond';

/** Headers of every response, which must not be sniffed, framed or cached. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

export const setSecurityHeaders: Middleware = (context, next) => {
  setHeaders(context, securityHeaders);
  return next();
};
