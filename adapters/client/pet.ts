import type { FilterName, newPetRules, petRules } from '../rules';

type ValueOf<R> = R extends { readonly kind: 'int64' }
  ? bigint
  : R extends { readonly values: ReadonlyArray<infer V> }
    ? V
    : string;

type RequiredName<R> = {
  readonly [K in keyof R]: R[K] extends { readonly required: true } ? K : never;
}[keyof R];

type PlainOf<R> = { readonly [K in RequiredName<R>]: ValueOf<R[K]> } & {
  readonly [K in Exclude<keyof R, RequiredName<R>>]?: ValueOf<R[K]> | undefined;
};

/** Animal in the store, with plain values: `id` and `categoryId` are bigints, and `name` is a string. */
export interface Pet extends PlainOf<typeof petRules> {}

export interface NewPet extends PlainOf<typeof newPetRules> {}

/** Int64 as an argument: a bigint, a safe integer (`Number.isSafeInteger`) or a string of decimal digits. */
export type Int64Input = bigint | number | string;

/** Animal to add, with plain values. `categoryId` is a bigint, a safe integer or a string of decimal digits. */
export type NewPetInput = {
  readonly [Field in keyof NewPet]: NewPet[Field] extends bigint ? Int64Input : NewPet[Field];
};

export type PetFilters = { readonly [Field in FilterName]?: NewPet[Field] };
