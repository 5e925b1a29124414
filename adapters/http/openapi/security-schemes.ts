/** How a request shows its API key, in the words of OpenAPI. */
export const securitySchemes = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, sent as `Authorization: Bearer <API_KEY>`.',
  },
} as const;
