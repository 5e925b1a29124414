import { expect } from 'chai';
import * as t from 'io-ts';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { settingNames } from '../../app/settings/settings';
import { readVersion } from '../../app/version';
import { decodeOrThrow } from '../../core';
import { runInProcess } from '../support/processes/run-in-process';
import { projectFolder, shell, startProgram } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';

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

/** Returns the type of a resource in `kubernetes-types`, which is made from the published schemas. */
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
      expect(pod.terminationGracePeriodSeconds).to.be.above(valueOf(container, 'STOP_DELAY') / 1_000 + 13);
      const [, gibibytes] = /^(\d+)Gi$/.exec(container.resources.limits.memory) ?? [];
      // A service takes 85 MB (docs/scaling.md). A connection takes at most 200 kB (docs/configuration.md); 50 kB are
      // spare.
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
