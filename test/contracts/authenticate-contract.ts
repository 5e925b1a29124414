import {
  ApiKey,
  type Authenticate,
  type Caller,
  type InvalidApiKey,
  type KeyId,
  type OwnerId,
} from '../../core';
import { arbitraryApiKey } from './arbitrary';
import { expectEqual, fail, shown } from './expect-equal';
import { atOnce, closeAfter, decoded, expectUnlessUnavailable, success } from './outcome';
import { seededRunner } from './seeded-runner';
import type { TestRunner } from './test-runner';

/** A valid API key, and the caller that the adapter must return for it. */
type IssuedKey = Readonly<{
  caller: Caller;
  key: ApiKey;
}>;

/** An adapter of the authentication port, with functions that issue and revoke keys. */
type AuthenticateUnderTest = Readonly<{
  authenticate: Authenticate;
  /** Issues a key for a new owner, or another key for an existing owner. */
  issue: (owner?: OwnerId) => Promise<IssuedKey>;
  revoke: (id: KeyId) => Promise<void>;
  close: () => Promise<void>;
}>;

/** Maximum time for which a key may stay valid after its revocation. */
const revocationGraceMs = 5_000;
const pollInterval = 50;

const flipCase = (character: string): string =>
  character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();

/**
 * Well-formed keys that break careless lookups: names in Object.prototype, a very long key, and texts that base64
 * decoders reject.
 */
const strangeKeys = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined'],
  ...['a', '0', '-1', '..', '~', '-._~+/==', 'x'.repeat(5_000)],
].map((text) => decoded(ApiKey, text));

/** An API key that differs slightly from a valid one, and a description of the difference. */
interface NearMiss {
  readonly difference: string;
  readonly key: ApiKey;
}

const replaceEach = (
  key: string,
  change: string,
  replace: (character: string) => string,
): ReadonlyArray<readonly [difference: string, key: string]> =>
  Array.from(key, (character, index) => [
    `character ${index + 1} of ${key.length} ${change}`,
    key.slice(0, index) + replace(character) + key.slice(index + 1),
  ]);

const nearMisses = (good: ApiKey): ReadonlyArray<NearMiss> => {
  const candidates: ReadonlyArray<readonly [difference: string, key: string]> = [
    ...replaceEach(good, 'in the other case', flipCase),
    ...replaceEach(good, 'replaced', (character) => (character === 'a' ? 'b' : 'a')),
    ...replaceEach(good, 'left out', () => ''),
    ['a letter more at its end', `${good}a`],
    ['a letter more at its start', `a${good}`],
    ['an equals sign at its end', `${good}=`],
    ['the key twice', `${good}${good}`],
    ['its first half alone', good.slice(0, Math.ceil(good.length / 2))],
  ];
  return candidates.flatMap(([difference, key]) =>
    key !== good && ApiKey.is(key) ? [{ difference, key }] : [],
  );
};

/** Fails unless the key is rejected with this reason, and with the expected key id in the failure. */
const expectInvalid = async (
  what: string,
  authenticating: ReturnType<Authenticate>,
  reason: InvalidApiKey['reason'],
  keyId?: KeyId,
): Promise<void> => {
  const outcome = await authenticating();
  if (outcome._tag === 'Right')
    return fail(`${what}: expected InvalidApiKey, but it answered ${shown(outcome.right)}`);
  const { left: failure } = outcome;
  if (failure._tag !== 'InvalidApiKey') return fail(`${what}: expected InvalidApiKey, got ${shown(failure)}`);
  expectEqual(`${what}, the reason`, failure.reason, reason);
  if (keyId !== undefined) expectEqual(`${what}, the id of the key`, failure.keyId, keyId);
};

/**
 * Defines the tests that every adapter of the authentication port must pass. `open` returns an adapter without keys.
 */
export const authenticateContract = (
  testRunner: TestRunner,
  open: () => Promise<AuthenticateUnderTest>,
  options: { readonly seed?: number } = {},
): void => {
  const { describe, it } = seededRunner(testRunner, options);
  const use = async (test: (adapter: AuthenticateUnderTest) => Promise<void>): Promise<void> => {
    const adapter = await open();
    return closeAfter(
      () => test(adapter),
      () => adapter.close(),
    );
  };

  describe('as the auth port', () => {
    it('returns the caller of a key', () =>
      use(async ({ authenticate, issue }) => {
        const [one, other] = [await issue(), await issue()];
        expectEqual('whose the first key is', await success(authenticate(one.key)), one.caller);
        expectEqual('whose the second key is', await success(authenticate(other.key)), other.caller);
        expectEqual('whose the first key is, asked again', await success(authenticate(one.key)), one.caller);
        expectEqual('whether two keys have the same id', one.caller.keyId === other.caller.keyId, false);
        expectEqual(
          'whether two keys have the same owner',
          one.caller.ownerId === other.caller.ownerId,
          false,
        );
      }));

    it('returns the same owner for all keys of an owner', () =>
      use(async ({ authenticate, issue }) => {
        const first = await issue();
        const second = await issue(first.caller.ownerId);
        expectEqual('whether two keys have the same id', second.caller.keyId === first.caller.keyId, false);
        expectEqual("whose an owner's second key is", await success(authenticate(second.key)), {
          keyId: second.caller.keyId,
          ownerId: first.caller.ownerId,
        });
      }));

    it('refuses every key before one is issued', () =>
      use(async ({ authenticate }) => {
        await expectInvalid('a key that nobody has issued', authenticate(arbitraryApiKey()), 'unknown');
      }));

    it('refuses a key that it never issued', () =>
      use(async ({ authenticate, issue }) => {
        const { caller, key } = await issue();
        const ids: ReadonlyArray<readonly [what: string, id: KeyId | OwnerId]> = [
          ['the id of a key, in place of the key', caller.keyId],
          ['the owner of a key, in place of the key', caller.ownerId],
        ];
        const candidates: ReadonlyArray<readonly [what: string, key: ApiKey]> = [
          ['a key that it never issued', arbitraryApiKey()],
          ...ids.flatMap(([what, id]) => (ApiKey.is(id) ? [[what, id] as const] : [])),
          ...strangeKeys.map((strange) => [`the key ${shown(strange)}`, strange] as const),
        ];
        for (const [what, unknown] of candidates) {
          await expectInvalid(what, authenticate(unknown), 'unknown');
        }
        expectEqual('whose the issued key is, after that', await success(authenticate(key)), caller);
      }));

    for (const when of ['before', 'after'] as const) {
      it(`refuses keys that differ slightly from a valid one, ${when} that one is used`, () =>
        use(async ({ authenticate, issue }) => {
          const { caller, key } = await issue();
          if (when === 'after') await success(authenticate(key));
          const misses = nearMisses(key);
          const outcomes = await atOnce(misses.map((near) => authenticate(near.key)));
          for (const [index, { difference }] of misses.entries()) {
            const outcome = outcomes[index];
            if (outcome?._tag === 'Right') fail(`a near miss was let in: the key with ${difference}`);
            expectEqual(`the failure of the key with ${difference}`, outcome?.left._tag, 'InvalidApiKey');
            if (outcome?.left._tag === 'InvalidApiKey')
              expectEqual(`the reason of the key with ${difference}`, outcome.left.reason, 'unknown');
          }
          expectEqual('whose the key itself is', await success(authenticate(key)), caller);
        }));
    }

    it('returns the right caller to each of 200 concurrent calls', () =>
      use(async ({ authenticate, issue }) => {
        const issued = await Promise.all(Array.from({ length: 5 }, () => issue()));
        const asked = Array.from({ length: 200 }, (_, index) => issued[index % 7]);
        const outcomes = await atOnce(asked.map((known) => authenticate(known?.key ?? arbitraryApiKey())));
        expectEqual(
          'the answers to 200 that come at once',
          outcomes.map((outcome) => (outcome._tag === 'Right' ? outcome.right : outcome.left._tag)),
          asked.map((known) => known?.caller ?? 'InvalidApiKey'),
        );
      }));

    it('accepts a new key at once', () =>
      use(async ({ authenticate, issue }) => {
        await success(authenticate((await issue()).key));
        const { caller, key } = await issue();
        expectEqual('whose a key is that was issued just before', await success(authenticate(key)), caller);
      }));

    it('refuses a revoked key within 5 seconds, and only that key', () =>
      use(async ({ authenticate, issue, revoke }) => {
        const [revoked, unseen, other] = [await issue(), await issue(), await issue()];
        const ofSameOwner = await issue(revoked.caller.ownerId);
        const askedBefore = authenticate(revoked.key);
        for (const effect of [askedBefore, authenticate(other.key)]) await success(effect);
        const deadline = performance.now() + revocationGraceMs;
        await Promise.all([revoke(revoked.caller.keyId), revoke(unseen.caller.keyId)]);
        for (const [effect, { caller }] of [
          [authenticate(revoked.key), revoked],
          [authenticate(unseen.key), unseen],
          [askedBefore, revoked],
        ] as const) {
          while ((await effect())._tag === 'Right') {
            if (performance.now() > deadline) fail('a revoked key is still let in after 5 seconds');
            await new Promise((resolve) => setTimeout(resolve, pollInterval));
          }
          await expectInvalid('a revoked key', effect, 'revoked', caller.keyId);
        }
        for (const [whose, { caller, key }] of Object.entries({
          "another owner's": other,
          "the same owner's": ofSameOwner,
        })) {
          expectEqual(
            `who is let in by ${whose} key, which was not revoked`,
            await success(authenticate(key)),
            caller,
          );
        }
      }));

    it('answers a call whose deadline has passed, or is Unavailable', () =>
      use(async ({ authenticate, issue }) => {
        const { caller, key } = await issue();
        const over = performance.now() - 1;
        await expectUnlessUnavailable('whose the key is, too late', authenticate(key, over), caller);
        const unknown = authenticate(arbitraryApiKey(), over);
        await expectUnlessUnavailable('a key that nobody has issued, too late', unknown, 'InvalidApiKey');
        expectEqual('whose the key is, after that', await success(authenticate(key)), caller);
      }));
  });
};
