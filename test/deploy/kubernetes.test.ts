import { expect } from 'chai';
import * as t from 'io-ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { settingNames } from '../../app/settings/settings';
import { readVersion } from '../../app/commands/run-command';
import { decodeOrThrow } from '../../core';
import { runInProcess } from '../support/processes/run-in-process';
import { projectFolder } from '../support/processes/command';

const KeyRef = t.type({ secretKeyRef: t.type({ name: t.string, key: t.string }) });

const Probe = t.type({ httpGet: t.type({ path: t.string, port: t.string }) });

const Container = t.intersection([
  t.type({
    image: t.string,
    env: t.array(
      t.intersection([t.type({ name: t.string }), t.partial({ value: t.string, valueFrom: KeyRef })]),
    ),
  }),
  t.partial({
    args: t.array(t.string),
    ports: t.array(t.type({ name: t.string, containerPort: t.number })),
    startupProbe: Probe,
    readinessProbe: Probe,
    livenessProbe: Probe,
  }),
]);
type Container = t.TypeOf<typeof Container>;

const Pod = t.intersection([
  t.type({ containers: t.array(Container) }),
  t.partial({ terminationGracePeriodSeconds: t.number }),
]);

const Template = t.type({ spec: t.type({ template: t.type({ spec: Pod }) }) });
const CronJob = t.type({ spec: t.type({ jobTemplate: Template }) });
const Service = t.type({ spec: t.type({ ports: t.array(t.type({ targetPort: t.string })) }) });
const Secret = t.type({ metadata: t.type({ name: t.string }), stringData: t.record(t.string, t.string) });
const Kind = t.type({ kind: t.string });

const folder = join(projectFolder, 'deploy/kubernetes');

const resources = readdirSync(folder)
  .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
  .map((document): unknown => document.toJS());

const ofKind = (...kinds: ReadonlyArray<string>): ReadonlyArray<unknown> =>
  resources.filter((resource) => kinds.includes(decodeOrThrow(Kind, resource).kind));

const pods = [
  ...ofKind('Deployment', 'Job').map((resource) => decodeOrThrow(Template, resource)),
  ...ofKind('CronJob').map((resource) => decodeOrThrow(CronJob, resource).spec.jobTemplate),
].map(({ spec }) => spec.template.spec);

const containers = pods.flatMap((pod) => pod.containers);

const ownContainers = containers.filter(({ image }) => image.includes('/animal-store'));

const valueOf = ({ env }: Container, name: string): number =>
  Number(env.find((variable) => variable.name === name)?.value);

describe('The files for Kubernetes', () => {
  it('run this version of the service, with settings that it has', () => {
    expect(ownContainers).to.have.lengthOf(4);
    for (const { image, env } of ownContainers) {
      expect(image).to.match(new RegExp(`:${readVersion()}$`));
      const names = env.map(({ name }) => name).filter((name) => !name.startsWith('BACKUP_'));
      expect(settingNames).to.include.members(names);
    }
  });

  it('run commands that the service has', async () => {
    for (const { args } of ownContainers) {
      if (args === undefined) continue;
      const { code, stderr } = await runInProcess([...args, '--help']);
      expect(code, `${args.join(' ')}: ${stderr}`).to.equal(0);
    }
  });

  it('probe and name ports on which the service listens', () => {
    const [server] = ownContainers.filter(({ args }) => args?.[0] === 'serve');
    if (server === undefined) throw new Error('there is no server');
    const ports = new Map(server.ports?.map(({ name, containerPort }) => [name, containerPort]));
    expect(Object.fromEntries(ports)).to.deep.equal({ http: 3_000, admin: valueOf(server, 'ADMIN_PORT') });
    const targets = ofKind('Service').flatMap((service) => decodeOrThrow(Service, service).spec.ports);
    expect(targets.map(({ targetPort }) => targetPort)).to.have.members([...ports.keys()]);
    for (const probe of [server.startupProbe, server.readinessProbe, server.livenessProbe]) {
      expect(probe?.httpGet.port).to.equal('admin');
      expect(probe?.httpGet.path).to.be.oneOf(['/readyz', '/livez']);
    }
  });

  it('wait for a stop longer than the service takes', () => {
    for (const {
      containers: [container],
      terminationGracePeriodSeconds = 0,
    } of pods) {
      if (container?.args?.[0] !== 'serve') continue;
      expect(terminationGracePeriodSeconds).to.be.above(valueOf(container, 'STOP_DELAY') / 1_000 + 12);
    }
  });

  it('take each secret from a key that the Secret has', () => {
    const [secret] = ofKind('Secret').map((resource) => decodeOrThrow(Secret, resource));
    const used = containers.flatMap(({ env }) =>
      env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []),
    );
    expect(new Set(used.map(({ name }) => name))).to.deep.equal(new Set([secret?.metadata.name]));
    expect(new Set(used.map(({ key }) => key))).to.deep.equal(new Set(Object.keys(secret?.stringData ?? {})));
  });
});
