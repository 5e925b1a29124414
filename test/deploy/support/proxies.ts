import { expect } from 'chai';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call } from '../../support/http/client';
import { eventually } from '../../support/eventually';
import { projectFolder, type Running, startProgram } from '../../support/processes/command';
import { freePort } from '../../support/processes/system';
import { makeFolder } from '../../support/temporary-folder';
import { type Certificate, makeCertificate } from './certificate';

/** A proxy with a configuration of `deploy/`, in front of two instances of the service. */
export interface Proxy {
  /** Address without TLS. */
  readonly address: string;
  /** Address without TLS over IPv6. */
  readonly ipv6Address: string;
  /** Address with TLS, for HTTP/2 and HTTP/1.1. */
  readonly tlsAddress: string;
  readonly program: Running;
}

/** Texts of a configuration, with what replaces them in a test. */
type Replacements = ReadonlyArray<readonly [from: string, to: string]>;

/** Starts a proxy in front of two instances, given by hosts and ports such as `127.0.0.1:3001`. */
export type StartProxy = (
  instances: readonly [first: string, second: string],
  more?: Replacements,
) => Promise<Proxy>;

/**
 * Replaces all texts in one pass, because an inserted port such as 30012 may contain a text that a second pass would
 * replace.
 */
const replaceEach = (text: string, replacements: Replacements): string => {
  const replaced = new Map(replacements);
  const anyOf = [...replaced.keys()].map((from) => from.replaceAll(/[$.*+?()[\]{}|^\\]/g, '\\$&')).join('|');
  return text.replaceAll(new RegExp(anyOf, 'g'), (from) => replaced.get(from) ?? from);
};

const environment = { PATH: '/usr/sbin:/usr/bin:/bin' };

const starter =
  (
    path: string,
    replacementsFor: (
      port: number,
      tlsPort: number,
      certificate: Certificate,
      fallbackPort: number,
    ) => Replacements,
    start: (site: string) => Promise<Running>,
  ): StartProxy =>
  async ([first, second], more = []) => {
    const [port, tlsPort, folder] = [await freePort(), await freePort(), await makeFolder()];
    const replacements: Replacements = [
      ...replacementsFor(port, tlsPort, await makeCertificate(folder), await freePort()),
      ['127.0.0.1:3001', first],
      ['127.0.0.1:3002', second],
      ...more,
    ];
    const text = await readFile(join(projectFolder, path), 'utf8');
    for (const [from] of replacements) expect(text).to.include(from);
    const site = join(folder, 'site');
    await writeFile(site, replaceEach(text, replacements));
    const program = await start(site);
    const address = `http://127.0.0.1:${port}`;
    await eventually('the proxy reaches an instance', 20_000, () =>
      call(`${address}/readyz`).then(
        ({ status }) => status === 200 || status === 308,
        () => false,
      ),
    );
    return {
      address,
      ipv6Address: `http://[::1]:${port}`,
      tlsAddress: `https://127.0.0.1:${tlsPort}`,
      program,
    };
  };

const startNginx = starter(
  'deploy/nginx/animal-store.conf',
  (port, tlsPort, { certificate, privateKey }) => [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['listen [::]:80;', `listen [::1]:${port};`],
    ['# listen 443 ssl http2;', `listen 127.0.0.1:${tlsPort} ssl http2;`],
    ['# listen [::]:443 ssl http2;', `listen [::1]:${tlsPort} ssl http2;`],
    ['# ssl_certificate /etc/ssl/animals.pem;', `ssl_certificate ${certificate};`],
    ['# ssl_certificate_key /etc/ssl/animals.key;', `ssl_certificate_key ${privateKey};`],
  ],
  async (site) => {
    const folder = await makeFolder();
    await chmod(folder, 0o755);
    const main = `pid ${folder}/pid; error_log stderr warn; events { worker_connections 4096; }
      http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; include ${site}; }`;
    await writeFile(join(folder, 'nginx.conf'), main);
    const nginx = ['-c', join(folder, 'nginx.conf'), '-g', 'daemon off; master_process off;'];
    return startProgram('nginx', nginx, { environment });
  },
);

const startHaproxy = starter(
  'deploy/haproxy/haproxy.cfg',
  (port, tlsPort, { certificate }) => [
    // Only root can change the user.
    ...(process.getuid?.() === 0 ? [] : ([['  user haproxy\n  group haproxy\n', '']] as const)),
    ['bind :80', `bind 127.0.0.1:${port}`],
    ['bind [::]:80', `bind [::1]:${port}`],
    ['# bind :443 ssl crt /etc/ssl/animals.pem', `bind 127.0.0.1:${tlsPort} ssl crt ${certificate}`],
    [
      '# bind [::]:443 v6only ssl crt /etc/ssl/animals.pem',
      `bind [::1]:${tlsPort} v6only ssl crt ${certificate}`,
    ],
  ],
  // Discards the log of HAProxy. Otherwise this process would have to read a line for each request while it measures.
  (site) =>
    Promise.resolve(startProgram('sh', ['-c', 'exec haproxy -db -f "$0" >/dev/null', site], { environment })),
);

/**
 * Starts Caddy without its admin port, and with a self-signed certificate, because a public authority would need a
 * public host.
 */
export const startCaddy = starter(
  'deploy/caddy/Caddyfile',
  (port, tlsPort, { certificate, privateKey }, fallbackPort) => [
    ['animals.example.com {', '(site) {'],
    ['127.0.0.1:3099', `127.0.0.1:${fallbackPort}`],
    [
      '# Used while no instance is ready.',
      `http://:${port} {\n\tbind 127.0.0.1 [::1]\n\timport site\n}
https://127.0.0.1:${tlsPort} {\n\ttls ${certificate} ${privateKey}\n\timport site\n}\n#`,
    ],
    ['\tservers {', '\tadmin off\n\tauto_https disable_redirects\n\tservers {'],
  ],
  async (site) => {
    const options = ['run', `--config=${site}`, '--adapter=caddyfile'];
    return startProgram('caddy', options, { environment: { ...environment, HOME: await makeFolder() } });
  },
);

export const proxies: ReadonlyArray<readonly [name: string, start: StartProxy]> = [
  ['nginx', startNginx],
  ['HAProxy', startHaproxy],
  ['Caddy', startCaddy],
];
