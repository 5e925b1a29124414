/* Screen of `animal-store demo`: a line for each event and, at a terminal, a chart that grows below them. */

import { obeysEscapes, styleFor } from '../terminal/style';
import type { Terminal } from '../terminal/terminal';
import { grouped } from '../terminal/text';

const sampleMs = 200;
const maxBars = 50;
const heights = '▁▂▃▄▅▆▇█';

/** Opens the screen, and charts the growth of the number that `readTotal` returns. */
export const openDemoScreen = ({ stdout, env, write }: Terminal, readTotal: () => number) => {
  const style = styleFor(stdout, env);
  const clearLine = obeysEscapes(stdout, env) ? '\r\x1b[K' : undefined;
  const startedAt = performance.now();
  const growths: Array<number> = [];
  let total = 0;

  const chart = (): string => {
    const most = Math.max(...growths, 1);
    const bars = growths.slice(-maxBars).map((growth) => {
      const height = growth === 0 ? 0 : 1 + Math.round((growth / most) * (heights.length - 2));
      return style(growth === 0 ? 'red' : 'green', heights.charAt(height));
    });
    return `  ${bars.join('')}  ${style('bold', grouped(readTotal()))} acknowledged`;
  };
  let timer: NodeJS.Timeout | undefined = setInterval(() => {
    if (readTotal() === 0) return;
    growths.push(readTotal() - total);
    total = readTotal();
    if (clearLine !== undefined) write(`${clearLine}${chart()}`);
  }, sampleMs);

  const line = (text: string): void => {
    write(`${clearLine ?? ''}${text}\n`);
  };
  return {
    style,
    line,
    event: (text: string): void => {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      line(`  ${style('dim', `${seconds.padStart(4)} s`)}  ${text}`);
    },
    endChart: (): void => {
      if (timer !== undefined && clearLine !== undefined) line(`\n${chart()}`);
      clearInterval(timer);
      timer = undefined;
    },
  };
};
