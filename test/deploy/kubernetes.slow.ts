import { expect } from 'chai';
import * as t from 'io-ts';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse, parseAllDocuments } from 'yaml';
import { settingNames } from '../../app/settings/settings';
import { readVersion } from '../../app/commands/run-command';
import { decodeOrThrow } from '../../core';
import { runInProcess } from '../support/processes/run-in-process';
import {
  main,
  type Outcome,
  projectFolder,
  runCommand,
  shell,
  startProgram,
} from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';
import { makeCertificate } from './support/certificate';

const Probe = t.intersection([
  t.type({ httpGet: t.type({ path: t.string, port: t.string }) }),
  t.partial({ periodSeconds: t.number, failureThreshold: t.number }),
]);

const Container = t.intersection([
  t.type({ image: t.string, resources: t.type({ limits: t.type({ memory: t.string }) }) }),
  t.partial({
    args: t.array(t.string),
    env: t.array(t.intersection([t.type({ name: t.string }), t.partial({ value: t.string })])),
    volumeMounts: t.array(t.type({ name: t.string })),
    ports: t.array(t.type({ name: t.string, containerPort: t.number })),
    startupProbe: Probe,
    readinessProbe: Probe,
    livenessProbe: Probe,
  }),
]);
type Container = t.TypeOf<typeof Container>;

const Volume = t.intersection([
  t.type({ name: t.string }),
  t.partial({
    secret: t.type({ secretName: t.string }),
    persistentVolumeClaim: t.type({ claimName: t.string }),
  }),
]);

const Pod = t.intersection([
  t.type({ containers: t.array(Container), securityContext: t.type({ runAsNonRoot: t.literal(true) }) }),
  t.partial({
    initContainers: t.array(Container),
    volumes: t.array(Volume),
    terminationGracePeriodSeconds: t.number,
  }),
]);

const Template = t.type({ spec: t.type({ template: t.type({ spec: Pod }) }) });
const CronJob = t.type({ spec: t.type({ jobTemplate: Template }) });
const Service = t.type({ spec: t.type({ ports: t.array(t.type({ targetPort: t.string })) }) });
const Resource = t.type({ apiVersion: t.string, kind: t.string, metadata: t.type({ name: t.string }) });

const folder = join(projectFolder, 'deploy/kubernetes');

/** Types of `kubernetes-types`, which are made from the published schemas, by the group and the kind of a resource. */
const typeOf = ({ apiVersion, kind }: t.TypeOf<typeof Resource>): string => {
  const [group = 'core', version = ''] = apiVersion.includes('/')
    ? apiVersion.split('/')
    : ['core', apiVersion];
  return `import('kubernetes-types/${group.replace(/\..*/, '')}/${version}').${kind}`;
};

for (const overlay of ['sqlite', 'postgresql']) {
  describe(`The overlay for Kubernetes ${overlay}`, () => {
    needsPrograms('kubectl');
    let resources: ReadonlyArray<unknown> = [];

    before(async () => {
      const { code, stdout, stderr } = await startProgram('kubectl', ['kustomize', join(folder, overlay)])
        .ended;
      expect(code, stderr).to.equal(0);
      resources = parseAllDocuments(stdout).map((document) => decodeOrThrow(t.unknown, document.toJS()));
    });

    const ofKind = (...kinds: ReadonlyArray<string>): ReadonlyArray<unknown> =>
      resources.filter((resource) => kinds.includes(decodeOrThrow(Resource, resource).kind));

    const pods = () =>
      [
        ...ofKind('Deployment', 'Job').map((resource) => decodeOrThrow(Template, resource)),
        ...ofKind('CronJob').map((resource) => decodeOrThrow(CronJob, resource).spec.jobTemplate),
      ].map(({ spec }) => spec.template.spec);

    const containersOf = ({ containers, initContainers = [] }: t.TypeOf<typeof Pod>) => [
      ...initContainers,
      ...containers,
    ];
    const containers = () => pods().flatMap(containersOf);

    const valueOf = ({ env = [] }: Container, name: string): number =>
      Number(env.find((variable) => variable.name === name)?.value);

    /** Returns the pod and the container that serve. */
    const server = () => {
      for (const pod of pods())
        for (const container of pod.containers)
          if (container.args?.[0] === 'serve') return { pod, container };
      throw new Error('there is no server');
    };

    it('has only fields of the published schemas, with their types', async () => {
      const checked = resources.map((resource, index) => {
        const type = typeOf(decodeOrThrow(Resource, resource));
        return `export const resource${index}: ${type} = ${JSON.stringify(resource, null, 1)};`;
      });
      const cache = join(projectFolder, 'node_modules/.cache/kubernetes');
      await mkdir(cache, { recursive: true });
      const file = join(cache, `${overlay}.ts`);
      await writeFile(file, checked.join('\n'));
      const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc');
      const words = [tsc, '--noEmit', '--strict', '--skipLibCheck', file];
      const { code, stdout } = await startProgram(process.execPath, words).ended;
      expect(code, stdout).to.equal(0);
    });

    it('runs this version of the service, with settings and commands that it has', async () => {
      for (const { image, env = [], args } of containers()) {
        expect(image).to.match(
          new RegExp(`^registry\\.example\\.com/animal-store(?:-backup)?:${readVersion()}$`),
        );
        const names = env.map(({ name }) => name.replace(/_FILE$/, ''));
        const others = /^(?:BACKUP_|NODE_EXTRA_CA_CERTS$)/;
        expect(settingNames).to.include.members(names.filter((name) => !others.test(name)));
        if (args === undefined) continue;
        const { code, stderr } = await runInProcess([...args, '--help']);
        expect(code, `${args.join(' ')}: ${stderr}`).to.equal(0);
      }
    });

    it('probes and names ports on which the service listens', () => {
      const { container } = server();
      const ports = new Map(container.ports?.map(({ name, containerPort }) => [name, containerPort]));
      expect(Object.fromEntries(ports)).to.deep.equal({
        http: 3_000,
        admin: valueOf(container, 'ADMIN_PORT'),
      });
      const targets = ofKind('Service').flatMap((service) => decodeOrThrow(Service, service).spec.ports);
      expect(targets.map(({ targetPort }) => targetPort)).to.have.members([...ports.keys()]);
      for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
        expect(probe?.httpGet.port).to.equal('admin');
        expect(probe?.httpGet.path).to.be.oneOf(['/readyz', '/livez']);
      }
    });

    it('gives a start an hour, in which it may migrate', () => {
      const { periodSeconds = 0, failureThreshold = 0 } = server().container.startupProbe ?? {};
      expect(periodSeconds * failureThreshold).to.be.at.least(3_600);
    });

    it('waits for a stop longer than the service takes, and has memory for its connections', () => {
      const { pod, container } = server();
      expect(pod.terminationGracePeriodSeconds).to.be.above(valueOf(container, 'STOP_DELAY') / 1_000 + 12);
      const [, gibibytes] = /^(\d+)Gi$/.exec(container.resources.limits.memory) ?? [];
      // docs/configuration.md and docs/scaling.md have these figures.
      const needed = 85e6 + valueOf(container, 'MAX_CONNECTIONS') * 250e3;
      expect(Number(gibibytes) * 2 ** 30).to.be.above(needed);
    });

    it('mounts volumes that the pods have, of Secrets and claims that it has', () => {
      const named = (kind: string) => ofKind(kind).map((one) => decodeOrThrow(Resource, one).metadata.name);
      for (const pod of pods()) {
        const volumes = pod.volumes ?? [];
        const mounted = containersOf(pod).flatMap(({ volumeMounts = [] }) => volumeMounts);
        expect(volumes.map(({ name }) => name)).to.include.members(mounted.map(({ name }) => name));
        for (const { secret, persistentVolumeClaim: claim } of volumes) {
          if (secret !== undefined) expect(named('Secret')).to.include(secret.secretName);
          if (claim !== undefined) expect(named('PersistentVolumeClaim')).to.include(claim.claimName);
        }
      }
    });
  });
}

describe('The files for the Prometheus operator', () => {
  it('have the alerts by the command at the head of the rules, and a label by which Helm finds them', async () => {
    const head = readFileSync(join(folder, 'monitoring/rules-head.yaml'), 'utf8');
    const [, command = ''] = /`(\{[^`]*\})/.exec(head.replaceAll('\n# ', ' ')) ?? [];
    const { stdout } = await shell(join(folder, 'monitoring'), command);
    const alerts: unknown = parse(
      readFileSync(join(projectFolder, 'deploy/prometheus/animal-store.rules.yaml'), 'utf8'),
    );
    expect(parse(stdout)).to.deep.include({ kind: 'PrometheusRule', spec: alerts });
    const monitor = readFileSync(join(folder, 'monitoring/service-monitor.yaml'), 'utf8');
    for (const file of [stdout, monitor])
      expect(parse(file)).to.have.nested.property('metadata.labels.release', 'kube-prometheus-stack');
  });
});

describe('The first key on Kubernetes', () => {
  needsPrograms('openssl');
  after(removeFolders);

  it('is stored in a Secret, once, and is revoked if that fails', async () => {
    const home = await makeFolder();
    const { certificate, privateKey } = await makeCertificate(home);
    const received: Array<string> = [];
    let status = 403;
    let meanwhile = (): Promise<unknown> => Promise.resolve();
    const options = { cert: readFileSync(certificate), key: readFileSync(privateKey) };
    const api = createServer(options, (request, response) => {
      void text(request).then((body) => {
        received.push(`${request.method} ${request.url} ${request.headers.authorization}`, body);
        return meanwhile().then(() => response.writeHead(status).end('{}'));
      });
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const port = String(decodeOrThrow(t.type({ port: t.number }), api.address()).port);
    await writeFile(join(home, 'token'), 'a-token');
    await writeFile(join(home, 'namespace'), 'zoo');
    await writeFile(join(home, 'animal-store'), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`, {
      mode: 0o755,
    });
    const database = { DATABASE_URL: `sqlite:${home}/animals.sqlite3` };
    const environment = {
      ...database,
      PATH: `${home}:${process.env['PATH'] ?? ''}`,
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: port,
      NODE_EXTRA_CA_CERTS: certificate,
    };
    const createFirstKey = (more = {}): Promise<Outcome> =>
      startProgram(process.execPath, [join(folder, 'first-key.mjs'), home], {
        environment: { ...environment, ...more },
      }).ended;
    await runCommand(['migrate'], database);
    const denied = await createFirstKey();
    expect(denied).to.include({ code: 1 });
    expect(denied.stderr).to.include('the API server answered 403');
    status = 409;
    let other = '';
    meanwhile = async () => {
      other = (await runCommand(['keys', 'create', '--name', 'other', '--json'], database)).stdout;
    };
    const taken = await createFirstKey();
    expect(taken).to.include({ code: 0 });
    expect(taken.stderr).to.include('the Secret animal-store-first-key exists');
    const { id: otherId } = decodeOrThrow(t.type({ id: t.string }), JSON.parse(other));
    const validIds = async (): Promise<ReadonlyArray<unknown>> =>
      decodeOrThrow(
        t.array(t.type({ id: t.string, isValid: t.boolean })),
        JSON.parse((await runCommand(['keys', 'list', '--json'], database)).stdout),
      ).flatMap(({ id, isValid }) => (isValid ? [id] : []));
    expect(await validIds()).to.deep.equal([otherId]);
    await runCommand(['keys', 'revoke', otherId], database);
    meanwhile = () => Promise.resolve();
    expect(await createFirstKey({ API_KEYS: 'a-key-of-the-settings' })).to.include({ code: 0, stderr: '' });
    status = 201;
    const { code, stdout, stderr } = await createFirstKey();
    expect(code, stderr).to.equal(0);
    expect(await createFirstKey()).to.include({ code: 0 });
    api.close();

    const [created, body = ''] = received.slice(-2);
    expect(received).to.have.lengthOf(6);
    expect(created).to.equal('POST /api/v1/namespaces/zoo/secrets Bearer a-token');
    const { key } = decodeOrThrow(
      t.type({ stringData: t.type({ key: t.string }) }),
      JSON.parse(body),
    ).stringData;
    expect(key).to.match(/^animals_/);
    expect(stdout + stderr).to.not.include(key);
    const keys = decodeOrThrow(
      t.array(t.type({ isValid: t.boolean })),
      JSON.parse((await runCommand(['keys', 'list', '--json'], database)).stdout),
    );
    expect(keys.map(({ isValid }) => isValid)).to.deep.equal([false, false, false, true]);
  });
});
