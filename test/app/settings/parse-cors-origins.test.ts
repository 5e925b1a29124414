import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { decodeSettings } from '../../../app/settings/settings';

const originsOf = (CORS_ORIGIN: string | undefined) => {
  const decoded = decodeSettings({ CORS_ORIGIN });
  return E.isRight(decoded) ? decoded.right.CORS_ORIGIN : decoded.left;
};

describe('CORS_ORIGIN', () => {
  it('names no origin by default', () => {
    expect(originsOf(undefined)).to.deep.equal([]);
    expect(originsOf('')).to.deep.equal([]);
  });

  const lists = {
    '*': ['*'],
    'https://shop.example': ['https://shop.example'],
    'https://shop.example , http://localhost:5173': ['https://shop.example', 'http://localhost:5173'],
    'HTTPS://Shop.Example:443,http://a:80': ['https://shop.example', 'http://a'],
    'http://[::1]:8080': ['http://[::1]:8080'],
    'https://bücher.example': ['https://xn--bcher-kva.example'],
    'capacitor://localhost': ['capacitor://localhost'],
  };
  for (const [text, origins] of Object.entries(lists)) {
    it(`reads ${text} as a browser writes it`, () => {
      expect(originsOf(text)).to.deep.equal(origins);
    });
  }

  const faulty = [
    'shop.example',
    'https://',
    'https://shop.example/',
    'https://shop.example/path',
    'https://shop.example?query',
    'https://user:secret@shop.example',
    'https://shop.example:99999',
    'https://*.shop.example',
    'https://shop.example,',
    'https://shop.example,*',
    'null',
  ];
  for (const text of faulty) {
    it(`refuses ${text}, and says what it must be`, () => {
      expect(originsOf(text)).to.deep.equal([
        {
          field: 'CORS_ORIGIN',
          expected:
            'origins separated by commas, each scheme://host or scheme://host:port without a path, or only *',
        },
      ]);
    });
  }
});
