import {
  enumerationRule,
  type FieldRule,
  type FilterName,
  int64Rule,
  isDecimal,
  type newPetRules,
  petRules,
  textRule,
} from '../rules';

type Flat<A> = { readonly [K in keyof A]: A[K] };

type ValueOf<R> = R extends { readonly kind: 'int64' }
  ? bigint
  : R extends { readonly values: ReadonlyArray<infer V> }
    ? V
    : string;

type Required<R> = { readonly [K in keyof R]: R[K] extends { readonly required: true } ? K : never }[keyof R];

type PlainOf<R> = Flat<
  { readonly [K in Required<R>]: ValueOf<R[K]> } & {
    readonly [K in Exclude<keyof R, Required<R>>]?: ValueOf<R[K]> | undefined;
  }
>;

/** Animal in the store, with plain values: `id` and `categoryId` are bigints, and `name` is a string. */
export interface Pet extends PlainOf<typeof petRules> {}

export type NewPet = PlainOf<typeof newPetRules>;

/** Int64 as an argument: a bigint, a safe integer (`Number.isSafeInteger`) or a string of decimal digits. */
export type Int64Input = bigint | number | string;

/** Animal to add, with plain values. `categoryId` is a bigint, a safe integer or a string of decimal digits. */
export type NewPetInput = {
  readonly [Field in keyof NewPet]: NewPet[Field] extends bigint ? Int64Input : NewPet[Field];
};

export type PetFilters = { readonly [Field in FilterName]?: NewPet[Field] };

/** Value that obeys a rule, or the expectation that it fails. */
export type Checked = { readonly value: unknown } | { readonly expected: string };

export const checkInt64 = (input: unknown): Checked => {
  if (typeof input === 'number' && !Number.isSafeInteger(input))
    return { expected: `${int64Rule.expected}; a number is exact only up to 2^53, so pass a bigint` };
  const isInteger = typeof input === 'number' || (typeof input === 'string' && isDecimal(input));
  const value = isInteger ? BigInt(input) : input;
  return typeof value === 'bigint' && int64Rule.holds(value)
    ? { value }
    : { expected: `${int64Rule.expected}, as a bigint, a safe integer or decimal digits` };
};

export const checkField = (rule: FieldRule, input: unknown): Checked => {
  if (rule.kind === 'int64') return checkInt64(input);
  const { holds, expected } = rule.kind === 'text' ? textRule(rule.maxLength) : enumerationRule(rule.values);
  return typeof input === 'string' && holds(input) ? { value: input } : { expected };
};

const isExact = ({ kind }: FieldRule, value: unknown): boolean =>
  kind !== 'int64' || typeof value === 'bigint';

/** Returns the animal in a response, with the known fields only, or undefined if the value is not an animal. */
export const readPet = (value: unknown): Pet | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const pet: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries<FieldRule>(petRules)) {
    const field: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    if (field === undefined && !rule.required) continue;
    const checked = checkField(rule, field);
    if (!('value' in checked) || !isExact(rule, field)) return undefined;
    pet[name] = checked.value;
  }
  const isPet = (_pet: unknown): _pet is Pet => true;
  return isPet(pet) ? pet : undefined;
};
