import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fillDisk, inTmpfs } from '../faults/support/machine';
import { projectFolder, startProgram } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { eventually } from '../support/eventually';
import { createPet, listPets } from '../support/http/client';
import { runInProcess } from '../support/processes/run-in-process';
import { killServices, type ServiceProcess, startService } from '../support/service/service-process';
import { makeFolder, removeFolders } from '../support/temporary-folder';
import { type PrometheusServer, startPrometheus } from './support/prometheus-server';

const deploy = join(projectFolder, 'deploy');

/** Maximum wait for a scrape and the evaluation of the alerts on a busy machine. */
const bound = 60_000;

/** Returns the PromQL expressions in a rules file or a dashboard. */
const strings = (value: unknown, field: string): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((one) => strings(one, field));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === field && typeof one === 'string' ? [one] : strings(one, field),
  );
};

const panels = (): ReadonlyArray<string> => {
  const dashboard: unknown = JSON.parse(readFileSync(join(deploy, 'grafana', 'animal-store.json'), 'utf8'));
  return strings(dashboard, 'expr').map((expression) =>
    expression.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
  );
};

const metricName = /\b(?:animal_store|http_server|db_client|process|nodejs)_[a-z0-9_]+/g;

const namesIn = (text: string): ReadonlyArray<string> => {
  const names = text.match(metricName) ?? [];
  const labels = /^(?:http_(?:request|response)|db_client_connection_(?:pool_name|state)$)/;
  return [...new Set(names)].filter((name) => !labels.test(name));
};

const rulesText = readFileSync(join(deploy, 'prometheus', 'animal-store.rules.yaml'), 'utf8');

const promtool = async (...toolArguments: ReadonlyArray<string>): Promise<string> => {
  const { code, stdout, stderr } = await startProgram('promtool', toolArguments).ended;
  expect(code, stdout + stderr).to.equal(0);
  return stdout + stderr;
};

describe('A real Prometheus', () => {
  needsPrograms('prometheus', 'promtool');
  let service: ServiceProcess;
  let prometheus: PrometheusServer;

  before(async () => {
    const folder = await makeFolder();
    const environment = { DATABASE_URL: `sqlite:${join(folder, 'animals.sqlite3')}`, LOG_LEVEL: 'silent' };
    const create = ['keys', 'create', '--name=shop', '--expires=1d'];
    await runInProcess(['migrate'], environment);
    const key = (await runInProcess(create, environment)).stdout.trim();
    service = await startService({ ...environment, ADMIN_PORT: '0', RATE_LIMIT: '20/3600s' });
    prometheus = await startPrometheus(await makeFolder(), await service.adminAddress());
    const caller = { address: service.address, key };
    // These requests exceed the rate limit.
    for (let count = 0; count < 15; count += 1) {
      await createPet(caller, '{"name":"Rex","categoryId":7}');
      await listPets(caller);
      await fetch(`${service.address}/v1/pets/1`, { headers: { Authorization: `Bearer ${key}` } });
    }
    await eventually(
      'what was done is scraped',
      bound,
      async () => (await prometheus.query('animal_store_owner_requests_total >= 45')) === 1,
    );
  });
  after(async () => {
    await prometheus.stop();
  });
  after(killServices);
  after(removeFolders);

  it('finds no fault in the metrics', async () => {
    const text = await (await fetch(`${await service.adminAddress()}/metrics`)).text();
    const tool = startProgram('promtool', ['check', 'metrics'], { isFed: true });
    tool.stdin.end(text);
    const { code, stdout, stderr } = await tool.ended;
    expect({ code, said: stdout + stderr }).to.deep.equal({ code: 0, said: '' });
  });

  it('fires the alerts when it should, and only then', async () => {
    await promtool('check', 'rules', join(deploy, 'prometheus', 'animal-store.rules.yaml'));
    await promtool('check', 'config', join(deploy, 'prometheus', 'prometheus.yaml'));
    await promtool('test', 'rules', join(projectFolder, 'test', 'deploy', 'alerts.test.yaml'));
  });

  it('has every metric that an alert or a panel asks for', async () => {
    const names = namesIn([rulesText, ...panels()].join('\n'));
    expect(names.length).to.be.above(15);
    const missing: Array<string> = [];
    for (const name of names) if ((await prometheus.query(name)) === 0) missing.push(name);
    // The backup job of the operator writes this metric, and the service does not.
    expect(missing).to.deep.equal(['animal_store_last_backup_timestamp_seconds']);
  });

  it('answers each panel of the dashboard with something', async () => {
    const expressions = panels();
    expect(expressions.length).to.be.above(15);
    for (const expression of expressions) {
      await eventually(expression, bound, async () => (await prometheus.query(expression)) > 0);
    }
  });

  it('fires the alert of keys that expire soon', async () => {
    await eventually('the alert of keys', bound, async () =>
      (await prometheus.alerts()).includes('AnimalStoreKeysEnd'),
    );
    expect(await prometheus.alerts()).to.not.include('AnimalStoreNotReady');
  });
});

const diskSize = 8 * 1024 * 1024;

const caller = { key: 'a-key-of-this-test-that-is-long-enough' };

describe('A disk that is full', function () {
  needsPrograms('prometheus');
  before(function () {
    if (process.getuid?.() !== 0) this.skip();
  });

  after(killServices);
  after(removeFolders);

  it('fires the alerts of a full disk and of a service that is not ready, and resolves the latter once there is space', () =>
    inTmpfs(`${diskSize}`, async (folder) => {
      const service = await startService({
        DATABASE_URL: `sqlite:${join(folder, 'animals.sqlite3')}`,
        API_KEYS: caller.key,
        ADMIN_PORT: '0',
        LOG_LEVEL: 'silent',
      });
      const pet = '{"name":"Rex","categoryId":7}';
      const create = async (): Promise<number> =>
        (await createPet({ address: service.address, ...caller }, pet)).status;
      expect(await create()).to.equal(201);
      const prometheus = await startPrometheus(await makeFolder(), await service.adminAddress());
      const names = ['AnimalStoreDiskFull', 'AnimalStoreNotReady'];
      const firing = async (): Promise<ReadonlyArray<string>> => {
        const alerts = await prometheus.alerts();
        return names.filter((name) => alerts.includes(name));
      };
      try {
        const filler = join(folder, 'filler');
        await fillDisk(filler, diskSize);
        await eventually('creations are refused', bound, async () => (await create()) === 503);
        await eventually('both alerts', bound, async () => (await firing()).length === names.length);
        await rm(filler);
        await eventually('it is ready', bound, async () => (await create()) === 201);
        // The alert always counts a disk of 8 MB as nearly full.
        await eventually(
          'the alert goes',
          bound,
          async () => !(await firing()).includes('AnimalStoreNotReady'),
        );
      } finally {
        await prometheus.stop();
      }
    }));
});
