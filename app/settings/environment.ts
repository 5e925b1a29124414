/** Returns the value of an environment variable without blanks around it. Returns an empty text for an unset one. */
export const valueOf = (environment: NodeJS.ReadOnlyDict<string>, name: string): string =>
  environment[name]?.trim() ?? '';

/** Reports whether a variable has a value. An empty or blank variable counts as unset. */
export const isSet = (environment: NodeJS.ReadOnlyDict<string>, name: string): boolean =>
  valueOf(environment, name) !== '';

/** Matches the variables of libpq that this service ignores: all but those of the user and the password. */
const ignoredVariable = /^PG(?!USER$|PASS)[A-Z]+/;

/** Returns the variables of libpq that do not apply, because DATABASE_URL says where and how to connect. */
export const ignoredVariables = (environment: NodeJS.ReadOnlyDict<string>): ReadonlyArray<string> =>
  Object.keys(environment).filter((name) => ignoredVariable.test(name));

/**
 * Copies the settings into the process environment, for PostgreSQL's driver and pg_dump. Removes libpq variables that
 * would contradict DATABASE_URL, or that only one of these programs reads.
 */
export const exportEnvironment = (
  env: NodeJS.ReadOnlyDict<string>,
  processEnv: NodeJS.Dict<string>,
): void => {
  Object.assign(processEnv, env);
  for (const name of ignoredVariables(env)) Reflect.deleteProperty(processEnv, name);
};
