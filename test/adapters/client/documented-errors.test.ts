import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRetried } from '../../../adapters/client/retry';
import { errorStatuses } from '../../../adapters/failures';
import document from '../../../adapters/http/openapi.json';
import { projectFolder } from '../../support/processes/command';

const read = (file: string): string => readFileSync(join(projectFolder, file), 'utf8');

const page = read('docs/client.md');

/** Expands `502 to 504` in a list of numbers. */
const numbersIn = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index),
  );

describe('The documents', () => {
  it('name the statuses after which the client retries', () => {
    const [, listed = ''] = /the statuses ([^.]+)\./.exec(page.replaceAll('\n', ' ')) ?? [];
    const errors = Array.from({ length: 200 }, (_, index) => 400 + index);
    expect(numbersIn(listed)).to.deep.equal(
      errors.filter((status) => isRetried({ code: 'unexpected_response', status })),
    );
  });

  it('say of each code that it can be retried if the client retries, or if the request must change first', () => {
    const rows = document.info.description.matchAll(/^\| `(\w+)` \| (\d+) \| (?:no|(yes)(.*?)) \|/gm);
    const retried = Array.from(rows, ([, code = '', status, yes, condition = '']) => ({
      code,
      status: Number(status),
      isRetried: yes !== undefined && !/^, (?:without|over) /.test(condition),
    }));
    expect(retried).to.have.deep.members(
      Object.entries(errorStatuses).map(([code, status]) => ({
        code,
        status,
        isRetried: isRetried({ code, status }),
      })),
    );
  });

  it('name the codes after which the catalogue discards an idempotency key', () => {
    const [, final = ''] = /^const finalCodes = \[(.*)\];$/m.exec(read('adapters/web/create-once.mjs')) ?? [];
    const [, documented = ''] = /Discard the key after .*? failed with (.*?)\./s.exec(page) ?? [];
    const codesIn = (text: string) => text.match(/[a-z]+_[a-z_]+/g);
    expect(codesIn(documented)).to.deep.equal(codesIn(final)).and.to.have.lengthOf(2);
  });
});
