import { expect } from 'chai';
import { describeOnEveryStore } from '../../support/service/service-under-test';

describeOnEveryStore('A name', (service) => {
  const names: Readonly<Record<string, string>> = {
    'is empty': '',
    'has only spaces': '  \t\r\n ',
    'is composed or decomposed': '\u00e9 e\u0301',
    'has ligatures and full-width forms': 'ﬁ Ａ ſ K',
    'has emoji joined and flagged': '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇺🇳',
    'runs from right to left': '\u202eأرنب\u202c \u2066ארנב\u2069',
    'has control characters but NUL': '\u0001\u0007\b\u001b[31m\u007f\u0085',
    'has line separators and a BOM': '\u2028\u2029\ufeff\ufeff',
    'has noncharacters': '\ufffe\uffff\u{1ffff}\u{10ffff}\ufdd0',
    'has the replacement character': '\ufffd',
    'has private use characters': '\ue000\u{f0000}',
    'is SQL': `Robert'); DROP TABLE pets;-- " \` \\ % _ ? $1 :a @b`,
    'is JSON and HTML': '"}],{"a":1}<script>alert(1)</script>&amp;\\u0041\\',
    'is long': 'x😀'.repeat(13_000),
    'is called as a property of every object': '__proto__',
  };
  Object.entries(names).forEach(([title, name]) => {
    it(`comes back byte for byte where it ${title}`, async () => {
      const { id, ...pet } = await service.add({ name });
      expect(pet.name).to.equal(name);
      expect((await service.get(`/v1/pets/${id}`)).pet().name).to.equal(name);
      expect((await service.get(`/v1/pets?after=${id - 1n}`)).pets()[0]?.name).to.equal(name);
    });
  });

  it('comes back byte for byte from escapes, surrogate pairs too', async () => {
    const answer = await service.create(
      String.raw`{"name":"\u0041\ud83d\ude00\/\b\f\n\r\t\"\\","categoryId":7}`,
    );
    expect(answer.status).to.equal(201);
    expect(answer.pet().name).to.equal('A😀/\b\f\n\r\t"\\');
  });

  it('has neither U+0000 nor a lone surrogate', async () => {
    for (const name of [
      '\\u0000',
      'a\\u0000b',
      '\\ud800',
      '\\udc00',
      'a\\udfffb',
      '\\ude00\\ud83d',
      '\\ud83d\\ud83d',
    ]) {
      const answer = await service.create(`{"name":"${name}","categoryId":7}`);
      expect([answer.status, answer.code], name).to.deep.equal([400, 'invalid_body']);
      expect(answer.message).to.include('name');
    }
  });
});
