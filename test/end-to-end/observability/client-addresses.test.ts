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

const addressLogged = async (TRUST_PROXY: string): Promise<unknown> => {
  const service = await serveInProcess(TRUST_PROXY === '' ? {} : { TRUST_PROXY });
  await fetch(`${service.address}/openapi.json`, { headers: { 'X-Forwarded-For': forwarded } });
  const { stdout } = await service.stop();
  return lineOf(stdout, 'request')['clientAddress'];
};

describe('The log names the address of a client', () => {
  it('whose bytes are no HTTP', async () => {
    const service = await serveInProcess();
    await exchangeBytes(service.address, 'no HTTP\r\n\r\n');
    const { stdout } = await service.stop();
    expect(lineOf(stdout, 'rejected')).to.include({ status: 400, clientAddress: '127.0.0.1' });
  });

  for (const [trusted, address] of [
    ['', '127.0.0.1'],
    ['1', '192.0.2.1'],
    ['2', '198.51.100.7'],
    ['7', '127.0.0.1'],
  ] as const) {
    it(`${address} where ${trusted === '' ? 'no' : trusted} proxies are trusted`, async () => {
      expect(await addressLogged(trusted)).to.equal(address);
    });
  }
});
