import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument, openApiServiceDocument } from '../adapters/http';

const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
const write = (name: string, document: object): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(document, null, 2));
  return file;
};
const files = [write('openapi.json', openApiDocument), write('openapi-service.json', openApiServiceDocument)];
const { status } = spawnSync('npx', ['redocly', 'lint', '--config', '.redocly.yaml', ...files], {
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  stdio: 'inherit',
});
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
