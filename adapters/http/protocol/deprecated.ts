import type { IncomingMessage } from 'node:http';
import type { Headers } from './headers';
import { pathOf } from './path-of';

/** What each response of a deprecated operation carries. */
export const deprecationHeaders = {
  // RFC 9745: 19 November 2026, in seconds since 1970.
  Deprecation: '@1795046400',
  // RFC 8594.
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  // RFC 5829.
  Link: '</v1/pets>; rel="successor-version"',
} as const;

/** The same for the route of getPet, under whatever prefix a host has put it: the list is at its target's parent. */
export const deprecationAt = (target: string): Headers => {
  const path = pathOf(target);
  return {
    ...deprecationHeaders,
    Link: `<${path.slice(0, path.lastIndexOf('/'))}>; rel="successor-version"`,
  };
};

const pathOfGetPet = /^\/v1\/pets\/[^/#]+$/;

/** Whether a request calls the deprecated operation, where its route is not asked. */
export const isDeprecated = ({ method = '', url = '' }: IncomingMessage): boolean =>
  ['GET', 'HEAD'].includes(method) && pathOfGetPet.test(pathOf(url));

/** The headers that answer a request, where its route is not asked. */
export const deprecationOf = (request: IncomingMessage): Headers =>
  isDeprecated(request) ? deprecationHeaders : {};
