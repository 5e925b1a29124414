import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '../adapters/http';

const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
const file = join(folder, 'openapi.json');
writeFileSync(file, JSON.stringify(openApiDocument, null, 2));
const { status } = spawnSync('npx', ['redocly', 'lint', '--config', '.redocly.yaml', file], {
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  stdio: 'inherit',
});
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
