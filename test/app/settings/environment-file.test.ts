import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { parseEnvironmentFile } from '../../../app/settings/environment-file';
import { ambiguousFiles, plainFiles } from '../../support/environment-files';

const parse = (text: string, encoding?: BufferEncoding) => parseEnvironmentFile(Buffer.from(text, encoding));

describe('An environment file', () => {
  for (const [text, values] of plainFiles) {
    it(`assigns what systemd assigns: ${JSON.stringify(text)}`, () => {
      expect(parse(text)).to.deep.equal(E.right(values));
    });
  }

  for (const [text, line] of ambiguousFiles) {
    it(`is refused at a line that systemd ignores or reads otherwise: ${JSON.stringify(text)}`, () => {
      const parsed = parse(text);
      expect(E.isLeft(parsed) && parsed.left).to.match(new RegExp(`^line ${line} is not NAME=value`));
    });
  }

  it('is refused with a byte order mark, a NUL or bytes that are not UTF-8', () => {
    const refused = E.left('the file must be UTF-8 without a byte order mark');
    expect(parse('\uFEFFONE=two')).to.deep.equal(refused);
    expect(parse('ONE=t\0wo')).to.deep.equal(refused);
    expect(parse('ONE=\uFFFEtwo')).to.deep.equal(refused);
    expect(parse('ONE=\xff', 'latin1')).to.deep.equal(refused);
  });
});
