import type { Test } from 'mocha';
import { findMissing, type Tool } from './machine';

/** Defines the test of a fault. Without the tool that it needs, the test is skipped with the reason. */
export const fault = (title: string, inject: () => Promise<void>, tool: Tool): Test =>
  it(title, async function () {
    const missing = await findMissing(tool);
    if (missing !== undefined) {
      if (this.test !== undefined) this.test.title += ` (skipped: ${missing})`;
      this.skip();
    }
    await inject();
  });
