import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../../core';
import { projectFolder, startProgram } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { freePort } from '../../support/processes/system';

const rules = join(projectFolder, 'deploy', 'prometheus', 'animal-store.rules.yaml');

/** A running Prometheus server. */
export interface PrometheusServer {
  /** Returns the current number of series of an expression. Rejects if the expression is invalid. */
  readonly query: (expression: string) => Promise<number>;
  /** Returns the names of the pending and firing alerts. */
  readonly alerts: () => Promise<ReadonlyArray<string>>;
  readonly stop: () => Promise<void>;
}

const Answer = t.type({
  status: t.literal('success'),
  data: t.partial({
    result: t.array(t.unknown),
    alerts: t.array(t.type({ labels: t.record(t.string, t.string) })),
  }),
});

/**
 * Starts Prometheus with the alerts of the service. It scrapes an address every 5 s, because a scrape waits for a
 * database that hangs.
 */
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
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    return decodeOrThrow(Answer, await response.json()).data;
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
