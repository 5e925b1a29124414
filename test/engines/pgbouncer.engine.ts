import { expect } from 'chai';
import { diagnose } from '../../app/doctor/diagnose';
import { type Answer, call } from '../faults/support/call';
import { inPostgresDatabase } from '../faults/support/in-postgres-database';
import { startServices } from '../faults/support/several-services';
import { roundRobin } from '../support/round-robin';
import { idOf } from '../support/pet-calls';

const key = 'pooled-key';
const clients = 32;
const rounds = 20;

type Send = ReturnType<typeof roundRobin>;

/** Creates with a key and without, retries, gets and lists, one after another. */
const useService = async (send: Send, client: number): Promise<ReadonlyArray<Answer>> => {
  const answers: Array<Answer> = [];
  for (let round = 0; round < rounds; round += 1) {
    const body = `{"name":"${client} ${round}","categoryId":${round},"status":"sold"}`;
    const headers = { 'Idempotency-Key': `"${client}-${round}"` };
    const plain = await send('/v1/pets', { method: 'POST', key, body });
    const keyed = await send('/v1/pets', { method: 'POST', key, headers, body });
    const retried = await send('/v1/pets', { method: 'POST', key, headers, body });
    answers.push(
      plain,
      keyed,
      retried,
      await send(`/v1/pets/${idOf(plain.text)}`, { key }),
      await send(`/v1/pets?limit=${1 + (client % 5)}`, { key }),
      await send(`/v1/pets?status=sold&after=${client}`, { key }),
    );
    expect(retried.text).to.equal(keyed.text);
  }
  return answers;
};

describe('PgBouncer in transaction mode', () => {
  it(`serves ${clients} clients of three instances without settings: nothing fails`, () =>
    inPostgresDatabase(async (url) => {
      const services = await startServices(3, url, { API_KEYS: key });
      const send = roundRobin(services.map(({ address }) => address));
      const answers = await Promise.all(
        Array.from({ length: clients }, (_, client) => useService(send, client)),
      );
      const failed = answers.flat().filter(({ status }) => status !== 200 && status !== 201);
      expect(failed.map(({ status, text }) => `${status} ${text}`)).to.deep.equal([]);
    }));

  it('is ready, and doctor says which limits hold and how to set those that do not', () =>
    inPostgresDatabase(async (url) => {
      const [service] = await startServices(1, url, { API_KEYS: key });
      expect((await call(`${service?.address ?? ''}/readyz`)).status).to.equal(200);
      const findings = await diagnose({ PORT: '0', DATABASE_URL: url, API_KEYS: key })();
      const limits = findings.find(({ check }) => check === 'limits');
      expect(limits?.ok).to.equal(false);
      expect(limits?.text).to.contain("alter role current_user set statement_timeout = '3000ms'");
    }));
});
