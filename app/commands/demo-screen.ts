/* Screen of `animal-store demo`: a line for each event and, at a terminal, a chart that grows below them. */

import { obeysEscapes, styleFor } from '../terminal/style';
import type { Terminal } from '../terminal/terminal';
import { grouped } from '../terminal/text';

const sampleMs = 200;
const maxBars = 50;
const heights = '▁▂▃▄▅▆▇█';
const clearLine = '\r\x1b[K';

/** Opens the screen, and charts how fast the number grows that `readTotal` returns. */
export const openDemoScreen = ({ stdout, env, write }: Terminal, readTotal: () => number) => {
  const style = styleFor(stdout, env);
  const isLive = obeysEscapes(stdout, env);
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
  const timer = setInterval(() => {
    if (readTotal() === 0) return;
    growths.push(readTotal() - total);
    total = readTotal();
    if (isLive) write(`${clearLine}${chart()}`);
  }, sampleMs);

  const line = (text: string): void => {
    write(`${isLive ? clearLine : ''}${text}\n`);
  };
  return {
    style,
    line,
    event: (text: string): void => {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      line(`  ${style('dim', `${seconds.padStart(4)} s`)}  ${text}`);
    },
    endChart: (): void => {
      clearInterval(timer);
      if (isLive) line(`\n${chart()}`);
    },
  };
};
