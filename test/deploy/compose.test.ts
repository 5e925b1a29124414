import { expect } from 'chai';
import * as t from 'io-ts';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { settingNames } from '../../app/settings/settings';
import { decodeOrThrow } from '../../core';
import { projectFolder, shell, startProgram } from '../support/processes/command';
import { eventually } from '../support/eventually';
import { needsPrograms } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const Compose = t.type({
  services: t.record(
    t.string,
    t.partial({
      image: t.string,
      environment: t.record(t.string, t.string),
      secrets: t.array(t.string),
      ports: t.array(t.string),
      volumes: t.array(t.string),
      init: t.boolean,
      stop_signal: t.string,
      command: t.array(t.string),
      entrypoint: t.array(t.string),
    }),
  ),
  secrets: t.record(t.string, t.type({ file: t.string })),
  volumes: t.record(t.string, t.UnknownRecord),
});

const text = readFileSync(join(projectFolder, 'compose.yaml'), 'utf8');
const { services, secrets, volumes } = decodeOrThrow(Compose, parse(text, { merge: true }));

describe('The compose file', () => {
  it('gives the service only settings that it has', () => {
    for (const { image, environment = {} } of Object.values(services)) {
      if (image?.startsWith('animal-store') !== true) continue;
      const names = Object.keys(environment)
        .filter((name) => !name.startsWith('BACKUP_'))
        .map((name) => name.replace(/_FILE$/, ''));
      expect(settingNames).to.include.members(names);
    }
  });

  it('has the volumes and files that its services mount', () => {
    for (const mounted of Object.values(services).flatMap((service) => service.volumes ?? [])) {
      const [source = ''] = mounted.split(':');
      const exists = /^[./]/.test(source) ? existsSync(resolve(projectFolder, source)) : source in volumes;
      expect(exists, source).to.equal(true);
    }
  });

  describe('by the commands at its top', () => {
    needsPrograms('openssl');
    afterEach(removeFolders);

    it('gets the secrets that its services use, and files that the users of the containers can read', async () => {
      const [setUp = ''] = text.split('# Upgrade');
      const commands = setUp
        .split('\n')
        .filter((line) => line.startsWith('#   ') && !line.includes('docker'))
        .map((line) => line.slice('#   '.length));
      const folder = await makeFolder();
      await cp(join(projectFolder, 'deploy'), join(folder, 'deploy'), { recursive: true });
      // Gives the files the modes of a checkout by a user with a strict umask.
      const script = ['umask 077', 'chmod --recursive go= deploy', ...commands].join('\n');
      const { code, stderr } = await shell(folder, script);
      expect(code, stderr).to.equal(0);
      const used = Object.values(services).flatMap((service) => service.secrets ?? []);
      expect(new Set(used)).to.deep.equal(new Set(Object.keys(secrets)));
      for (const { file } of Object.values(secrets)) {
        expect(readFileSync(join(folder, file), 'utf8'), file).to.match(/^(?:postgres:\/\/.*)?[0-9a-f]{48}/);
      }
      const mounted = Object.values(services).flatMap((service) => service.volumes ?? []);
      const sources = mounted
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((source) => source.startsWith('./'));
      for (const file of [...sources, ...Object.values(secrets).map((secret) => secret.file)]) {
        expect(statSync(join(folder, file)).mode & 0o004, file).to.equal(0o004);
      }
    });
  });

  it('publishes ports to this machine only, and none for operators of the service', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports).to.have.members(['127.0.0.1:3000:3000', '127.0.0.1:9090:9090', '127.0.0.1:9093:9093']);
  });

  it('makes backups by the script of the systemd timer, and ends at once when it is stopped', async () => {
    const { entrypoint = [], command = [], init, stop_signal } = services['backup'] ?? {};
    expect(init, 'a process 1 that passes signals on').to.equal(true);
    expect(stop_signal, 'not the SIGINT of the image of PostgreSQL').to.equal('SIGTERM');
    const folder = await makeFolder();
    const waits = '#!/bin/sh\necho waiting\nexec cat\n';
    for (const [name, script] of [
      ['animal-store-backup', '#!/bin/sh\necho done\n'],
      ['sleep', waits],
    ] as const)
      await writeFile(join(folder, name), script, { mode: 0o755 });
    const [program = '', ...words] = [...entrypoint, ...command];
    const environment = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    for (const printed of ['done\nwaiting\n', 'waiting\n']) {
      const backup = startProgram(program, words, { environment, isFed: true });
      await eventually('it waits', 10_000, () => backup.stdout() === printed);
      backup.signal('SIGTERM');
      backup.stdin.end();
      expect(await backup.ended).to.include({ signal: 'SIGTERM', stdout: printed });
      await writeFile(join(folder, 'animal-store-backup'), waits, { mode: 0o755 });
    }
  });
});
