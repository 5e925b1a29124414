import { expect } from 'chai';
import * as t from 'io-ts';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { decodeOrThrow } from '../../core';
import { main, type Outcome, projectFolder, runCommand, startProgram } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';
import { makeCertificate } from './support/certificate';

const folder = join(projectFolder, 'deploy/kubernetes');

describe('The first key on Kubernetes', () => {
  needsPrograms('openssl');
  after(removeFolders);

  it('is stored in a Secret, once, and is revoked if that fails', async () => {
    const home = await makeFolder();
    const { certificate, privateKey } = await makeCertificate(home);
    const received: Array<string> = [];
    let status = 403;
    let meanwhile = (): Promise<unknown> => Promise.resolve();
    const options = { cert: readFileSync(certificate), key: readFileSync(privateKey) };
    const api = createServer(options, (request, response) => {
      void text(request).then((body) => {
        received.push(`${request.method} ${request.url} ${request.headers.authorization}`, body);
        return meanwhile().then(() => response.writeHead(status).end('{}'));
      });
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const port = String(decodeOrThrow(t.type({ port: t.number }), api.address()).port);
    await writeFile(join(home, 'token'), 'a-token');
    await writeFile(join(home, 'namespace'), 'zoo');
    await writeFile(join(home, 'animal-store'), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`, {
      mode: 0o755,
    });
    const database = { DATABASE_URL: `sqlite:${home}/animals.sqlite3` };
    const environment = {
      ...database,
      PATH: `${home}:${process.env['PATH'] ?? ''}`,
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: port,
      NODE_EXTRA_CA_CERTS: certificate,
    };
    const createFirstKey = (more = {}): Promise<Outcome> =>
      startProgram(process.execPath, [join(folder, 'first-key.mjs'), home], {
        environment: { ...environment, ...more },
      }).ended;
    await runCommand(['migrate'], database);
    const denied = await createFirstKey();
    expect(denied).to.include({ code: 1 });
    expect(denied.stderr).to.include('the API server answered 403');
    status = 409;
    let other = '';
    meanwhile = async () => {
      other = (await runCommand(['keys', 'create', '--name', 'other', '--json'], database)).stdout;
    };
    const taken = await createFirstKey();
    expect(taken).to.include({ code: 0 });
    expect(taken.stderr).to.include('the Secret animal-store-first-key exists');
    const { id: otherId } = decodeOrThrow(t.type({ id: t.string }), JSON.parse(other));
    const validIds = async (): Promise<ReadonlyArray<unknown>> =>
      decodeOrThrow(
        t.array(t.type({ id: t.string, isValid: t.boolean })),
        JSON.parse((await runCommand(['keys', 'list', '--json'], database)).stdout),
      ).flatMap(({ id, isValid }) => (isValid ? [id] : []));
    expect(await validIds()).to.deep.equal([otherId]);
    await runCommand(['keys', 'revoke', otherId], database);
    meanwhile = () => Promise.resolve();
    expect(await createFirstKey({ API_KEYS: 'a-key-of-the-settings' })).to.include({ code: 0, stderr: '' });
    status = 201;
    const { code, stdout, stderr } = await createFirstKey();
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(/^the API key [0-9a-f]+ is in the Secret animal-store-first-key\n$/);
    expect(await createFirstKey()).to.include({ code: 0 });
    api.close();

    const [created, body = ''] = received.slice(-2);
    expect(received).to.have.lengthOf(6);
    expect(created).to.equal('POST /api/v1/namespaces/zoo/secrets Bearer a-token');
    const { key } = decodeOrThrow(
      t.type({ stringData: t.type({ key: t.string }) }),
      JSON.parse(body),
    ).stringData;
    expect(key).to.match(/^animals_/);
    expect(stdout + stderr).to.not.include(key);
    const keys = decodeOrThrow(
      t.array(t.type({ isValid: t.boolean })),
      JSON.parse((await runCommand(['keys', 'list', '--json'], database)).stdout),
    );
    expect(keys.map(({ isValid }) => isValid)).to.deep.equal([false, false, false, true]);
  });
});
