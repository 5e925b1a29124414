import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument, openApiServiceDocument } from '../adapters/http';

const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
const files = Object.entries({ openApiDocument, openApiServiceDocument }).map(([name, document]) => {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(document, null, 2));
  return file;
});
const { status } = spawnSync('npx', ['redocly', 'lint', '--config', '.redocly.yaml', ...files], {
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  stdio: 'inherit',
});
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
