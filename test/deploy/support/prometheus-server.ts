import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder, startProgram } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { freePort } from '../../support/processes/system';

const rules = join(projectFolder, 'deploy', 'prometheus', 'animal-store.rules.yaml');

/** As Prometheus answers: of a vector the samples, of alerts or metadata what it has. */
export interface PrometheusServer {
  /** The number of series that an expression has at this moment. It throws where the expression is refused. */
  readonly query: (expression: string) => Promise<number>;
  /** The names of the alerts that wait to fire or fire. */
  readonly alerts: () => Promise<ReadonlyArray<string>>;
  readonly stop: () => Promise<void>;
}

interface Answer {
  readonly status: string;
  readonly data: {
    readonly result?: ReadonlyArray<unknown>;
    readonly alerts?: ReadonlyArray<{ readonly labels: Readonly<Record<string, string>> }>;
  };
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' &&
  value !== null &&
  'status' in value &&
  value.status === 'success' &&
  'data' in value;

/** Starts Prometheus with the alerts of the service, scraping an address every 5 s: a scrape waits for a database that hangs. */
export const startPrometheus = async (folder: string, target: string): Promise<PrometheusServer> => {
  const port = await freePort();
  const configuration = join(folder, 'prometheus.yaml');
  await writeFile(
    configuration,
    JSON.stringify({
      global: { scrape_interval: '5s', scrape_timeout: '5s', evaluation_interval: '1s' },
      scrape_configs: [{ job_name: 'animal-store', static_configs: [{ targets: [new URL(target).host] }] }],
      rule_files: [rules],
    }),
  );
  const running = startProgram('prometheus', [
    `--config.file=${configuration}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const ask = async (path: string): Promise<Answer['data']> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const answer: unknown = await response.json();
    if (!isAnswer(answer)) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const query = async (expression: string): Promise<number> =>
    (await ask(`query?query=${encodeURIComponent(expression)}`)).result?.length ?? 0;
  await eventually('Prometheus has scraped the service', 60_000, async () => {
    try {
      return (await query('up == 1')) === 1;
    } catch {
      return false;
    }
  });
  return {
    query,
    alerts: async () => ((await ask('alerts')).alerts ?? []).map(({ labels }) => labels['alertname'] ?? ''),
    stop: async () => {
      running.signal('SIGTERM');
      await running.ended;
    },
  };
};
