/*
 * Records `animal-store demo` at a terminal, as the animated pictures docs/pictures/demo-light.svg and demo-dark.svg:
 * `npm run build && npx tsx test/make-recording.ts`.
 */

import { type IBufferLine, Terminal } from '@xterm/headless';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main, projectFolder } from './support/processes/command';
import { startAtTerminal } from './support/processes/terminal';

const [columns, rows] = [80, 14];
const [cellWidth, lineHeight, margin] = [8.4, 19, 16];
const width = columns * cellWidth + 2 * margin;
const height = rows * lineHeight + 2 * margin;
const frameMs = 200;
const pauseMs = 4_000;
const speed = 2;

/** Colours of the background, of the text, and of the ANSI colour numbers 1 (red) and 2 (green). */
const themes = {
  light: { background: '#f6f8fa', text: '#1f2328', 1: '#cf222e', 2: '#1a7f37' },
  dark: { background: '#161b22', text: '#e6edf3', 1: '#ff7b72', 2: '#3fb950' },
};

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Returns the spans of a line: its texts in one style, each at its column. */
const spansOf = (line: IBufferLine | undefined): string => {
  const spans: Array<{ column: number; style: string; text: string }> = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line?.getCell(column);
    const text = cell === undefined || cell.getChars() === '' ? ' ' : cell.getChars();
    const colour = cell?.isFgPalette() ? `c${cell.getFgColor()}` : '';
    const style = [colour, cell?.isBold() ? 'b' : '', cell?.isDim() ? 'd' : ''].join(' ').trim();
    const last = spans.at(-1);
    if (last?.style === style) last.text += text;
    else spans.push({ column, style, text });
  }
  return spans
    .filter(({ text }) => text.trim() !== '')
    .map(
      ({ column, style, text }) =>
        `<tspan x="${(column * cellWidth).toFixed(1)}" class="${style}" textLength="${(text.trimEnd().length * cellWidth).toFixed(1)}">${escapeXml(text.trimEnd())}</tspan>`,
    )
    .join('');
};

interface Frame {
  readonly atMs: number;
  readonly lines: ReadonlyArray<string>;
}

const record = async (): Promise<ReadonlyArray<Frame>> => {
  const screen = new Terminal({ cols: columns, rows, allowProposedApi: true });
  const frames: Array<Frame> = [];
  const startedAt = performance.now();
  const demo = startAtTerminal(`exec ${process.execPath} ${main} demo`);
  screen.write('\x1b[32m$\x1b[39m \x1b[1mnpm run demo\x1b[22m\r\n');
  let shown = 0;
  const take = async (): Promise<void> => {
    const output = demo.stdout();
    await new Promise<void>((resolve) => {
      screen.write(output.slice(shown), resolve);
    });
    shown = output.length;
    const lines = Array.from({ length: rows }, (_, row) => spansOf(screen.buffer.active.getLine(row)));
    frames.push({ atMs: (performance.now() - startedAt) / speed, lines });
  };
  const timer = setInterval(() => void take(), frameMs);
  const { code } = await demo.ended;
  clearInterval(timer);
  await take();
  if (code !== 0) throw new Error(demo.stdout());
  // Begins with the first line of the demo, because a screen with only its command looks empty.
  const film = frames.filter(({ lines }) => lines.slice(1).join('') !== '');
  const beginMs = film[0]?.atMs ?? 0;
  return film
    .filter(({ lines }, index) => lines.join() !== film[index - 1]?.lines.join())
    .map(({ atMs, lines }) => ({ atMs: atMs - beginMs, lines }));
};

const toSvg = (frames: ReadonlyArray<Frame>, theme: keyof typeof themes): string => {
  const { background, text, ...colours } = themes[theme];
  const durationMs = (frames.at(-1)?.atMs ?? 0) + pauseMs;
  const keyframes = frames.map(
    ({ atMs }, index) =>
      `${index === 0 ? 0 : ((atMs / durationMs) * 100).toFixed(2)}%{transform:translateY(${-index * height}px)}`,
  );
  const known = [...new Set(frames.flatMap(({ lines }) => lines))].filter((line) => line !== '');
  const symbols = known.map((line, index) => `<text id="l${index}" xml:space="preserve">${line}</text>`);
  const uses = frames.flatMap(({ lines }, frame) =>
    lines.flatMap((line, row) =>
      line === ''
        ? []
        : [
            `<use href="#l${known.indexOf(line)}" y="${frame * height + margin + (row + 1) * lineHeight - 5}"/>`,
          ],
    ),
  );
  const last = -(frames.length - 1) * height;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>At twice the speed: sixteen clients add animals, the service is killed, and each acknowledged animal is found once</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:${text};white-space:pre}
.b{font-weight:bold}.d{opacity:.6}${Object.entries(colours)
    .map(([number, colour]) => `.c${number}{fill:${colour}}`)
    .join('')}
.film{transform:translateY(${last}px);animation:film ${(durationMs / 1_000).toFixed(1)}s step-end infinite}
@keyframes film{${keyframes.join('')}}
@media(prefers-reduced-motion){.film{animation:none}}
</style>
<defs>${symbols.join('\n')}</defs>
<rect width="100%" height="100%" rx="8" fill="${background}"/>
<svg width="${width}" height="${height}"><g class="film"><g transform="translate(${margin})">
${uses.join('')}
</g></g></svg>
</svg>
`;
};

const run = async (): Promise<void> => {
  const frames = await record();
  for (const theme of ['light', 'dark'] as const)
    writeFileSync(join(projectFolder, 'docs', 'pictures', `demo-${theme}.svg`), toSvg(frames, theme));
};

run().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
