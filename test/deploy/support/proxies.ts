import { expect } from 'chai';
import { appendFile, chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call } from '../../support/http/client';
import { eventually } from '../../support/eventually';
import { projectFolder, type Running, startProgram } from '../../support/processes/command';
import { freePort } from '../../support/processes/system';
import { makeFolder } from '../../support/temporary-folder';
import { makeCertificate } from './certificate';

/** A proxy with a configuration of `deploy/`, in front of two instances of the service. */
export interface Proxy {
  /** Address without TLS. */
  readonly address: string;
  /** Address with TLS, for HTTP/2 and HTTP/1.1. */
  readonly tlsAddress: string;
  readonly program: Running;
}

/** Hosts and ports of the instances, such as `127.0.0.1:3001`. */
export type Instances = readonly [first: string, second: string];

export type StartProxy = (instances: Instances) => Promise<Proxy>;

const environment = { PATH: '/usr/sbin:/usr/bin:/bin' };

/**
 * Writes a configuration of `deploy/` with the addresses of a test into a new folder. Fails if a text to replace is
 * missing.
 */
const place = async (
  path: string,
  replacements: ReadonlyArray<readonly [string, string]>,
): Promise<string> => {
  const file = join(await makeFolder(), 'site');
  const text = await readFile(join(projectFolder, path), 'utf8');
  for (const [from] of replacements) expect(text).to.include(from);
  await writeFile(
    file,
    replacements.reduce((site, [from, to]) => site.replaceAll(from, to), text),
  );
  return file;
};

const whenReady = async (proxy: Proxy): Promise<Proxy> => {
  await eventually('the proxy reaches an instance', 20_000, () =>
    call(`${proxy.address}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  return proxy;
};

const startNginx: StartProxy = async ([first, second]) => {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const { certificate, privateKey } = await makeCertificate(await makeFolder());
  const site = await place('deploy/nginx/animal-store.conf', [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['# listen 443 ssl http2;', `listen 127.0.0.1:${tlsPort} ssl http2;`],
    ['# ssl_certificate /etc/ssl/animals.pem;', `ssl_certificate ${certificate};`],
    ['# ssl_certificate_key /etc/ssl/animals.key;', `ssl_certificate_key ${privateKey};`],
    ['127.0.0.1:3001', first],
    ['127.0.0.1:3002', second],
  ]);
  const folder = await makeFolder();
  await chmod(folder, 0o755);
  const main = `pid ${folder}/pid; error_log stderr warn; events { worker_connections 4096; }
    http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; include ${site}; }`;
  await writeFile(join(folder, 'nginx.conf'), main);
  const nginx = ['-c', join(folder, 'nginx.conf'), '-g', 'daemon off; master_process off;'];
  return whenReady({
    address: `http://127.0.0.1:${port}`,
    tlsAddress: `https://127.0.0.1:${tlsPort}`,
    program: startProgram('nginx', nginx, { environment }),
  });
};

/** Lines that only root can obey. */
const rootOnly = /^ {2}(?:user|group|chroot) .*\n/gm;

const startHaproxy: StartProxy = async ([first, second]) => {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const { certificate, privateKey } = await makeCertificate(await makeFolder());
  await appendFile(certificate, await readFile(privateKey, 'utf8'));
  const site = await place('deploy/haproxy/haproxy.cfg', [
    ['bind :80', `bind 127.0.0.1:${port}`],
    ['# bind :443 ssl crt /etc/ssl/animals.pem', `bind 127.0.0.1:${tlsPort} ssl crt ${certificate}`],
    ['127.0.0.1:3001', first],
    ['127.0.0.1:3002', second],
  ]);
  if (process.getuid?.() !== 0) await writeFile(site, (await readFile(site, 'utf8')).replace(rootOnly, ''));
  return whenReady({
    address: `http://127.0.0.1:${port}`,
    tlsAddress: `https://127.0.0.1:${tlsPort}`,
    program: startProgram('haproxy', ['-db', '-f', site], { environment }),
  });
};

export const proxies: ReadonlyArray<readonly [name: string, start: StartProxy]> = [
  ['nginx', startNginx],
  ['HAProxy', startHaproxy],
];
