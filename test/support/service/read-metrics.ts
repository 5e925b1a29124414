import type { RunningService } from './service-process';

/** Values in the Prometheus text format, by name and labels. */
export type Samples = ReadonlyMap<string, number>;

const sample = /^([a-z0-9_]+(?:\{.*\})?) (\S+)$/;

/** Parses metrics. Fails unless each line is a comment, empty, or a sample whose name and labels appear once. */
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

/** Reads the current metrics of a service that has an ADMIN_PORT. */
export const readMetrics = async ({
  adminAddress,
}: Pick<RunningService, 'adminAddress'>): Promise<Samples> => {
  const response = await fetch(`${await adminAddress()}/metrics`);
  if (response.status !== 200) throw new Error(`${response.status} from /metrics`);
  return parseMetrics(await response.text());
};

/** Returns the increase of each metric whose name starts with `beginning`, by name and labels. */
export const growth = (before: Samples, after: Samples, beginning: string): Record<string, number> =>
  Object.fromEntries(
    [...after]
      .filter(([name]) => name.startsWith(beginning))
      .map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const)
      .filter(([, value]) => value !== 0),
  );
