import { expect } from 'chai';
import { exchangeBytes } from '../../support/http/raw-connection';
import { type LogLine, logLines } from '../../support/service/log-lines';
import { serveInProcess } from '../../support/service/serve-in-process';

const forwarded = '203.0.113.9, 198.51.100.7, 192.0.2.1';

/** Returns the only log line with this message. */
const lineOf = (log: string, message: string): LogLine => {
  const found = logLines(log).filter(({ msg }) => msg === message);
  expect(found).to.have.lengthOf(1);
  return found[0] ?? {};
};

/** Sends requests with these values of `X-Forwarded-For`. Returns the addresses in their log lines. */
const addressesLogged = async (
  TRUST_PROXY: string,
  values: ReadonlyArray<string>,
): Promise<ReadonlyArray<unknown>> => {
  const service = await serveInProcess(TRUST_PROXY === '' ? {} : { TRUST_PROXY });
  for (const value of values) {
    await fetch(`${service.address}/openapi.json`, { headers: { 'X-Forwarded-For': value } });
  }
  const lines = logLines((await service.stop()).stdout).filter(({ msg }) => msg === 'request');
  expect(lines).to.have.lengthOf(values.length);
  return lines.map(({ clientAddress }) => clientAddress);
};

describe('The log names the address of a client', () => {
  it('whose bytes are no HTTP', async () => {
    const service = await serveInProcess();
    await exchangeBytes(service.address, 'no HTTP\r\n\r\n');
    const { stdout } = await service.stop();
    expect(lineOf(stdout, 'rejected')).to.include({
      status: 400,
      code: 'malformed_request',
      clientAddress: '127.0.0.1',
    });
  });

  for (const [trusted, address] of [
    ['', '127.0.0.1'],
    ['1', '192.0.2.1'],
    ['2', '198.51.100.7'],
    ['7', '127.0.0.1'],
  ] as const) {
    it(`${address} where ${trusted === '' ? 'no' : trusted} proxies are trusted`, async () => {
      expect(await addressesLogged(trusted, [forwarded])).to.deep.equal([address]);
    });
  }

  it('without port, brackets and quotes, in each form that proxies write', async () => {
    const forms = {
      '192.0.2.1:47011': '192.0.2.1',
      '2001:db8::1': '2001:db8::1',
      '[2001:db8::1]': '2001:db8::1',
      '[2001:db8::1]:47011': '2001:db8::1',
      '"[2001:db8::1]:47011"': '2001:db8::1',
      '"192.0.2.1:_port"': '192.0.2.1',
      '"forged, 192.0.2.1': '192.0.2.1',
    };
    expect(await addressesLogged('1', Object.keys(forms))).to.deep.equal(Object.values(forms));
  });

  it('unless a proxy wrote what is no address', async () => {
    const values = ['unknown', '_hidden', '300.0.2.1', '192.0.2.1:port', '[192.0.2.1', '192.0.2.1,', 'a b'];
    expect(await addressesLogged('1', values)).to.deep.equal(values.map(() => undefined));
  });
});
