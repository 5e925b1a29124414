/** What each response of getPet carries. */
export const deprecation = {
  Deprecation: '@1795046400',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</v1/pets>; rel="successor-version"',
};
