import { secretSettings } from './secrets';

type Environment = NodeJS.ReadOnlyDict<string>;

export const isSet = (environment: Environment, name: string): boolean =>
  (environment[name] ?? '').trim() !== '';

/** Sets variables of `env` to those of `upper`. A secret of `upper` also replaces a file of `env` that holds it. */
export const override = (env: NodeJS.Dict<string>, upper: Environment): void => {
  for (const name of secretSettings) if (isSet(upper, name)) Reflect.deleteProperty(env, `${name}_FILE`);
  Object.assign(env, upper);
};
