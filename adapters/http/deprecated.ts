import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { setHeaders } from './set-headers';

/** What each response of a deprecated operation carries. */
export const deprecationHeaders = {
  // RFC 9745: 19 November 2026, in seconds since 1970.
  Deprecation: '@1795046400',
  // RFC 8594.
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  // RFC 5829.
  Link: '</v1/pets>; rel="successor-version"',
} as const;

const getPetTarget = /^(?:https?:\/\/[^/]+)?\/v1\/pets\/[^/?#]+(?:\?|$)/;

/** The headers that answer a call of getPet, where its route is not asked. */
export const deprecationOf = ({ method = '', url = '' }: IncomingMessage) =>
  ['GET', 'HEAD'].includes(method) && getPetTarget.test(url) ? deprecationHeaders : {};

export const deprecated: Middleware = (context, next) => {
  setHeaders(context.res, deprecationHeaders);
  return next();
};
