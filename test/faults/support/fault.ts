import type { Test } from 'mocha';
import { findMissing, type Tool } from './machine/tools';

/** What a fault showed, by name: printed behind the title of its test. */
export type Figures = Readonly<Record<string, number | string>>;

interface Options {
  /** What the fault can't be made without. */
  readonly needs?: ReadonlyArray<Tool>;
}

const inWords = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en') : value}`)
    .join(', ');

/** A test of one fault. Where a tool is missing it is skipped, and its line says why. */
export const fault = (title: string, inject: () => Promise<Figures>, { needs = [] }: Options = {}): Test =>
  it(title, async function () {
    const { test } = this;
    if (test === undefined) throw new Error('no test runs');
    const missing = await findMissing(needs);
    if (missing !== undefined) {
      test.title += ` (skipped: ${missing})`;
      this.skip();
    }
    test.title += ` (${inWords(await inject())})`;
  });
