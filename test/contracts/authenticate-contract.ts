import assert from 'node:assert/strict';
import { ApiKey, type Authenticate, type Caller, type KeyId, type OwnerId } from '../../core';
import { arbitraryApiKey } from './arbitrary';
import { atOnce, failure, success } from './outcome';
import type { TestRunner } from './test-runner';

/** A key that the adapter lets in, and what it answers with. */
export interface IssuedKey {
  readonly caller: Caller;
  readonly key: ApiKey;
}

/** An adapter of the auth port, with what a test needs to issue keys in it and to revoke them. */
export interface AuthenticateUnderTest {
  readonly authenticate: Authenticate;
  /** For a new owner, or another key of one who has a key. */
  readonly issue: (owner?: OwnerId) => Promise<IssuedKey>;
  readonly revoke: (id: KeyId) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How long a revoked key may still be let in, in milliseconds. */
const graceOfRevocation = 5_000;
const pollInterval = 50;

const flipCase = (character: string): string =>
  character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();

const replaceEach = (key: string, replace: (character: string) => string): ReadonlyArray<string> =>
  Array.from(key, (character, index) => key.slice(0, index) + replace(character) + key.slice(index + 1));

/** Keys that differ from a good one as little as can be. */
const nearMisses = (key: ApiKey): ReadonlyArray<ApiKey> =>
  [
    ...replaceEach(key, flipCase),
    ...replaceEach(key, (character) => (character === 'a' ? 'b' : 'a')),
    ...replaceEach(key, () => ''),
    `${key}a`,
    `a${key}`,
    `${key}=`,
    `${key}${key}`,
    key.slice(0, Math.ceil(key.length / 2)),
  ].filter((near): near is ApiKey => near !== key && ApiKey.is(near));

/** What every adapter of the auth port must do. `open` gives one that knows no key yet. */
export const authenticateContract = (
  { describe, it }: TestRunner,
  open: () => Promise<AuthenticateUnderTest>,
): void => {
  const use = async (test: (adapter: AuthenticateUnderTest) => Promise<void>): Promise<void> => {
    const adapter = await open();
    try {
      await test(adapter);
    } finally {
      await adapter.close();
    }
  };

  describe('as the auth port', () => {
    it('knows whose key it is', () =>
      use(async ({ authenticate, issue }) => {
        const [one, other] = [await issue(), await issue()];
        assert.deepEqual(await success(authenticate(one.key)), one.caller);
        assert.deepEqual(await success(authenticate(other.key)), other.caller);
        assert.deepEqual(await success(authenticate(one.key)), one.caller);
        assert.notEqual(one.caller.keyId, other.caller.keyId);
        assert.notEqual(one.caller.owner, other.caller.owner);
      }));

    it('knows all keys of one owner as his', () =>
      use(async ({ authenticate, issue }) => {
        const first = await issue();
        const second = await issue(first.caller.owner);
        assert.notEqual(second.caller.keyId, first.caller.keyId);
        assert.deepEqual(await success(authenticate(second.key)), {
          keyId: second.caller.keyId,
          owner: first.caller.owner,
        });
      }));

    it('lets nobody in while no key was issued', () =>
      use(async ({ authenticate }) => {
        assert.equal(await failure(authenticate(arbitraryApiKey())), 'InvalidApiKey');
      }));

    it('refuses a key that it never issued', () =>
      use(async ({ authenticate, issue }) => {
        const { caller, key } = await issue();
        const candidates = [
          arbitraryApiKey(),
          ...[caller.keyId, caller.owner].filter((id): id is typeof id & ApiKey => ApiKey.is(id)),
        ];
        for (const unknown of candidates) {
          assert.equal(await failure(authenticate(unknown)), 'InvalidApiKey');
        }
        assert.deepEqual(await success(authenticate(key)), caller);
      }));

    for (const when of ['before', 'after'] as const) {
      it(`refuses every near miss ${when} the key itself was seen`, () =>
        use(async ({ authenticate, issue }) => {
          const { caller, key } = await issue();
          if (when === 'after') await success(authenticate(key));
          const misses = nearMisses(key);
          const outcomes = await atOnce(misses.map((near) => authenticate(near)));
          const letIn = misses.filter((_, index) => outcomes[index]?._tag === 'Right');
          assert.deepEqual(letIn, []);
          for (const outcome of outcomes) {
            assert.equal(outcome._tag === 'Left' && outcome.left._tag, 'InvalidApiKey');
          }
          assert.deepEqual(await success(authenticate(key)), caller);
        }));
    }

    it('answers many at once, each its own', () =>
      use(async ({ authenticate, issue }) => {
        const issued = await Promise.all(Array.from({ length: 5 }, () => issue()));
        const asked = Array.from({ length: 200 }, (_, index) => issued[index % 7]);
        const outcomes = await atOnce(asked.map((known) => authenticate(known?.key ?? arbitraryApiKey())));
        assert.deepEqual(
          outcomes.map((outcome) => (outcome._tag === 'Right' ? outcome.right : outcome.left._tag)),
          asked.map((known) => known?.caller ?? 'InvalidApiKey'),
        );
      }));

    it('lets a new key in at once', () =>
      use(async ({ authenticate, issue }) => {
        await success(authenticate((await issue()).key));
        const { caller, key } = await issue();
        assert.deepEqual(await success(authenticate(key)), caller);
      }));

    it('refuses a revoked key within 5 seconds, and that key alone', () =>
      use(async ({ authenticate, issue, revoke }) => {
        const [revoked, unseen, other] = [await issue(), await issue(), await issue()];
        for (const { key } of [revoked, other]) await success(authenticate(key));
        const deadline = performance.now() + graceOfRevocation;
        await Promise.all([revoke(revoked.caller.keyId), revoke(unseen.caller.keyId)]);
        for (const { key } of [revoked, unseen]) {
          while ((await authenticate(key)())._tag === 'Right') {
            assert.ok(performance.now() < deadline, 'a revoked key is still let in');
            await new Promise((resolve) => setTimeout(resolve, pollInterval));
          }
          assert.equal(await failure(authenticate(key)), 'InvalidApiKey');
        }
        assert.deepEqual(await success(authenticate(other.key)), other.caller);
      }));
  });
};
