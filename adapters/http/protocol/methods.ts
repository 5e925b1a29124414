/** The methods that routes take; HEAD wherever GET is. */
export const methods = ['GET', 'HEAD', 'POST'] as const;

export type Method = (typeof methods)[number];
