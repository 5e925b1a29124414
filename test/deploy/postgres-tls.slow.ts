import { expect } from 'chai';
import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute } from '../support/postgres/postgres';
import { type PostgresServer, withOwnPostgres } from '../support/postgres/postgres-server';
import { killPrograms, runCommand } from '../support/processes/command';
import { eventually } from '../support/eventually';
import { needsPrograms } from '../support/processes/system';
import { startService } from '../support/service/service-process';
import { type Certificate, expiredLike, makeCertificate } from './support/certificate';

const settings = { API_KEYS: 'tls-key', LOG_LEVEL: 'silent', PORT: '0' };

/** Switches TLS on. If the tests run as root, the server runs as another user, who must be able to read the files. */
const switchOn = async ({ url, folder }: PostgresServer, { certificate, privateKey }: Certificate) => {
  const { uid, gid } = await stat(folder);
  for (const file of [certificate, privateKey]) await chown(file, uid, gid);
  await execute(
    url,
    `alter system set ssl_cert_file = '${certificate}'`,
    `alter system set ssl_key_file = '${privateKey}'`,
    `alter system set ssl = on`,
    'select pg_reload_conf()',
  );
  await eventually('the server takes TLS', 20_000, () =>
    execute(`${url}?sslmode=no-verify`, 'select 1').then(
      () => true,
      () => false,
    ),
  );
};

const encryption = `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid)
  where application_name = 'animal-store'`;

const refusalOf = async (url: string): Promise<string> => {
  const { code, stdout, stderr } = await runCommand(['serve'], { ...settings, DATABASE_URL: url });
  expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
  return stderr;
};

/** Returns whether each connection of a service with this database address is encrypted. */
const encryptionOf = async (url: string, { query }: PostgresServer): Promise<ReadonlyArray<unknown>> => {
  const service = await startService({ ...settings, DATABASE_URL: url });
  const rows = await query(encryption);
  await service.stop();
  return rows.map(({ ssl }) => ssl);
};

describe('TLS to PostgreSQL, as the address says', () => {
  needsPrograms('openssl');
  afterEach(killPrograms);

  it('requires TLS, verifies it or leaves it out', async () => {
    await withOwnPostgres(async (server) => {
      const made = await makeCertificate(server.folder);
      const at = (options: string, host = '127.0.0.1') =>
        `${server.url.replace('127.0.0.1', host)}?${options}`;
      const verifiedBy = ({ certificate }: Certificate) =>
        `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate)}`;
      const verified = verifiedBy(made);

      for (const options of ['sslmode=require', 'channel_binding=require', verified])
        expect(await refusalOf(at(options))).to.match(/does not support SSL/);

      await switchOn(server, made);
      expect(await encryptionOf(at(verified), server), 'verify-full').to.deep.equal([true]);
      const bound = at(`${verified}&channel_binding=require`);
      expect(await encryptionOf(bound, server), 'channel_binding').to.deep.equal([true]);
      const address = { ...settings, DATABASE_URL: at(verified) };
      expect((await runCommand(['doctor'], address)).stdout).to.match(
        /WARN {2}server +the certificate of the server expires on \d{4}-.*; renew it\n/,
      );
      const service = await startService({ ...address, ADMIN_PORT: '0' });
      const metrics = await (await fetch(`${await service.adminAddress()}/metrics`)).text();
      expect(metrics).to.match(/^animal_store_database_certificate_expiry_timestamp_seconds \d{10}$/m);
      await service.stop();
      expect(await encryptionOf(at('sslmode=no-verify'), server), 'no-verify').to.deep.equal([true]);
      expect(await encryptionOf(at('sslmode=disable'), server), 'disable').to.deep.equal([false]);
      for (const options of ['sslmode=require', 'sslmode=verify-full'])
        expect(await refusalOf(at(options)), options).to.match(/self-signed certificate; set sslrootcert /);
      expect(await refusalOf(at(verified, 'localhost'))).to.match(
        /does not match.*; set the host in DATABASE_URL to a name in the certificate of the server, or get /,
      );

      const expired = await expiredLike(made);
      const bundle = join(server.folder, 'bundle.pem');
      const both = await Promise.all([made, expired].map(({ certificate }) => readFile(certificate)));
      await writeFile(bundle, Buffer.concat(both));
      const trusting = { ...settings, DATABASE_URL: at(verifiedBy({ ...made, certificate: bundle })) };
      const running = await startService({ ...trusting, ADMIN_PORT: '0' });
      const readyz = `${await running.adminAddress()}/readyz`;
      expect((await fetch(readyz)).status).to.equal(200);
      await switchOn(server, expired);
      await eventually('the service is not ready', 20_000, async () => {
        await server.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'animal-store'",
        );
        const answer = await fetch(readyz);
        return answer.status === 503 && (await answer.text()).includes("the database can't be used; run");
      });
      expect((await runCommand(['doctor'], trusting)).stdout).to.match(
        /FAIL {2}connection .*certificate has expired; renew the certificate of the server/,
      );
      await running.stop();
      await eventually('the server has the expired certificate', 20_000, async () => {
        const refusal = await refusalOf(at(verifiedBy(expired)));
        return refusal.includes(
          "certificate has expired; renew the certificate of the server, or correct this machine's clock",
        );
      });
    });
  });
});
