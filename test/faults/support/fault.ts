import type { Test } from 'mocha';
import { findMissing, type Tool } from './machine';

/** Results of a fault by name, which are printed after the title of the test. */
export type Figures = Readonly<Record<string, number | string>>;

const inWords = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en') : value}`)
    .join(', ');

/** Defines the test of a fault. Without a tool that it needs, the test is skipped with the reason. */
export const fault = (title: string, inject: () => Promise<Figures>, ...needs: ReadonlyArray<Tool>): Test =>
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
