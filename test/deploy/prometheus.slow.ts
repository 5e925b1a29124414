import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../core';
import { killPrograms, projectFolder, startProgram } from '../support/processes/command';
import { freePort, needsPrograms } from '../support/processes/system';
import { eventually } from '../support/eventually';
import { call, createPet, isRefused } from '../support/http/client';
import { type Listening, servePlainly } from '../support/http/listen';
import { runInProcess } from '../support/processes/run-in-process';
import { type ServiceProcess, startService } from '../support/service/service-process';
import { makeFolder, removeFolders } from '../support/temporary-folder';

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

const runTool = async (tool: string, ...toolArguments: ReadonlyArray<string>): Promise<string> => {
  const { code, stdout, stderr } = await startProgram(tool, toolArguments).ended;
  expect(code, stdout + stderr).to.equal(0);
  return stdout;
};

const Sample = t.type({ value: t.tuple([t.number, t.string]) });
const Answer = t.type({ status: t.literal('success'), data: t.type({ result: t.array(Sample) }) });

/**
 * Starts Prometheus. Returns a function that returns the values of an expression, and rejects if the expression is
 * invalid.
 */
const startPrometheus = async (folder: string, target: string, nodeExporter: string) => {
  const port = await freePort();
  const configuration = {
    global: { scrape_interval: '5s', scrape_timeout: '5s' },
    scrape_configs: [
      { job_name: 'animal-store', static_configs: [{ targets: [new URL(target).host] }] },
      { job_name: 'node', static_configs: [{ targets: [new URL(nodeExporter).host] }] },
    ],
  };
  await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(configuration));
  startProgram('prometheus', [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const address = `http://127.0.0.1:${port}`;
  await eventually('Prometheus listens', bound, async () => !(await isRefused(address)));
  return async (expression: string): Promise<ReadonlyArray<string>> => {
    const response = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(expression)}`);
    return decodeOrThrow(Answer, await response.json()).data.result.map(({ value: [, value] }) => value);
  };
};

describe('The example for Alertmanager', () => {
  needsPrograms('amtool');
  const file = join(deploy, 'prometheus', 'alertmanager.yaml');

  it('is valid, and sends each severity of the alerts to its receiver', async () => {
    await runTool('amtool', 'check-config', file);
    const severities = new Set(
      Array.from(rulesText.matchAll(/severity: (\w+)/g), ([, severity]) => severity),
    );
    expect([...severities]).to.have.members(['page', 'ticket']);
    const receiverOf = (severity: string): Promise<string> =>
      runTool('amtool', 'config', 'routes', 'test', `--config.file=${file}`, `severity=${severity}`);
    expect([await receiverOf('page'), await receiverOf('ticket')]).to.deep.equal(['pager\n', 'mail\n']);
  });
});

describe('A real Prometheus', () => {
  needsPrograms('prometheus', 'promtool');
  let service: ServiceProcess;
  let nodeExporter: Listening;
  let valuesOf: (expression: string) => Promise<ReadonlyArray<string>>;

  before(async () => {
    const folder = await makeFolder();
    const environment = { DATABASE_URL: `sqlite:${join(folder, 'animals.sqlite3')}`, LOG_LEVEL: 'silent' };
    const create = ['keys', 'create', '--name=shop', '--expires=1d'];
    await runInProcess(['migrate'], environment);
    const key = (await runInProcess(create, environment)).stdout.trim();
    service = await startService({ ...environment, ADMIN_PORT: '0', RATE_LIMIT: '20/3600s' });
    // Simulates node exporter, which serves the metric that the backup job writes.
    nodeExporter = await servePlainly((_request, response) => {
      response.setHeader('Content-Type', 'text/plain; version=0.0.4');
      response.end(`animal_store_last_backup_timestamp_seconds ${Math.floor(Date.now() / 1000)}\n`);
    });
    valuesOf = await startPrometheus(folder, await service.adminAddress(), nodeExporter.address);
    // These requests exceed the rate limit.
    for (let count = 0; count < 15; count += 1) {
      await createPet({ ...service, key }, '{"name":"Rex","categoryId":7}');
      for (const path of ['', '/1']) await call(`${service.address}/v1/pets${path}`, { key });
    }
    await eventually(
      'what was done is scraped',
      bound,
      async () => (await valuesOf('animal_store_owner_requests_total >= 45')).length === 1,
    );
  });
  after(killPrograms);
  after(() => nodeExporter.close());
  after(removeFolders);

  it('finds no fault in the metrics', async () => {
    const text = await (await fetch(`${await service.adminAddress()}/metrics`)).text();
    const tool = startProgram('promtool', ['check', 'metrics'], { isFed: true });
    tool.stdin.end(text);
    const { code, stdout, stderr } = await tool.ended;
    expect({ code, said: stdout + stderr }).to.deep.equal({ code: 0, said: '' });
  });

  it('fires the alerts when it should, and only then', async () => {
    await runTool('promtool', 'check', 'rules', join(deploy, 'prometheus', 'animal-store.rules.yaml'));
    await runTool('promtool', 'check', 'config', join(deploy, 'prometheus', 'prometheus.yaml'));
    await runTool('promtool', 'test', 'rules', join(projectFolder, 'test', 'deploy', 'alerts.test.yaml'));
  });

  it('has every metric that an alert asks for', async () => {
    const missing: Array<string> = [];
    for (const name of namesIn(rulesText)) if ((await valuesOf(name)).length === 0) missing.push(name);
    // This service has no connection with TLS to a database. postgres-tls.slow.ts reads the metric.
    expect(missing).to.deep.equal(['animal_store_database_certificate_expiry_timestamp_seconds']);
  });

  it('answers each panel of the dashboard with something', async () => {
    const expressions = panels();
    expect(expressions.length, 'panels of the dashboard').to.be.above(15);
    for (const expression of expressions) {
      await eventually(expression, bound, async () => (await valuesOf(expression)).length > 0);
    }
  });

  it('shows an instance that has died as not ready', async () => {
    const [ready = ''] = panels();
    expect(await valuesOf(ready)).to.deep.equal(['1']);
    await service.stop();
    await eventually('it is not ready', bound, async () => (await valuesOf(ready)).join(' ') === '0');
  });
});
