/** Returns the value of an environment variable without blanks around it. Returns an empty text for an unset one. */
export const valueOf = (environment: NodeJS.ReadOnlyDict<string>, name: string): string =>
  environment[name]?.trim() ?? '';

/** Reports whether a variable has a value. An empty or blank variable counts as unset. */
export const isSet = (environment: NodeJS.ReadOnlyDict<string>, name: string): boolean =>
  valueOf(environment, name) !== '';
