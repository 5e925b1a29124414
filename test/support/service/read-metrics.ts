import type { RunningService } from './service-process';

/** Samples of the Prometheus text format by their name and labels, as they stand there. */
export type Samples = ReadonlyMap<string, number>;

const sample = /^([a-z0-9_]+(?:\{.*\})?) (\S+)$/;

/** Every line must be a comment, empty, or a sample whose name and labels come once. */
export const parseMetrics = (text: string): Samples => {
  const samples = new Map<string, number>();
  for (const line of text.split('\n').filter((one) => one !== '' && !/^# (?:HELP|TYPE) /.test(one))) {
    const [, name, value] = sample.exec(line) ?? [];
    if (name === undefined || samples.has(name))
      throw new Error(`no sample, or one that came twice: ${line}`);
    samples.set(name, Number(value));
  }
  return samples;
};

/** What a service has measured so far; it has an ADMIN_PORT. */
export const readMetrics = async ({
  adminAddress,
}: Pick<RunningService, 'adminAddress'>): Promise<Samples> => {
  const response = await fetch(`${await adminAddress()}/metrics`);
  if (response.status !== 200) throw new Error(`${response.status} from /metrics`);
  return parseMetrics(await response.text());
};

/** What came on top since, by name and labels; only of names that begin so. */
export const growth = (before: Samples, after: Samples, beginning: string): Record<string, number> =>
  Object.fromEntries(
    [...after]
      .filter(([name]) => name.startsWith(beginning))
      .map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const)
      .filter(([, value]) => value !== 0),
  );
