import type { IncomingMessage } from 'node:http';
import { pathOf } from './request-target';

/** What each response of the deprecated operation carries. */
export const deprecationHeaders = {
  // RFC 9745: 19 November 2026, in seconds since 1970.
  Deprecation: '@1795046400',
  // RFC 8594.
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  // RFC 5829; relative to /v1/pets/{petId}, so that it holds behind any prefix.
  Link: '<../pets>; rel="successor-version"',
} as const;

/** The template of its route. */
export const deprecatedRoute = '/v1/pets/:petId';

const pathOfGetPet = /^\/v1\/pets\/[^/#]+$/;

/** Whether a request calls the deprecated operation, by its method and path alone. */
export const isDeprecated = ({ method = '', url = '' }: IncomingMessage): boolean =>
  ['GET', 'HEAD'].includes(method) && pathOfGetPet.test(pathOf(url));
