#!/usr/bin/env node
// Creates the first API key, and stores it in the Secret `animal-store-first-key` of this namespace. Does nothing if
// the store has a valid key, or if API_KEYS has one. The argument names the folder of the service account, if it is not
// the default one.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const folder = process.argv[2] ?? '/var/run/secrets/kubernetes.io/serviceaccount';
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, API_KEYS, API_KEYS_FILE } = process.env;
const [token, namespace] = ['token', 'namespace'].map((name) => readFileSync(`${folder}/${name}`, 'utf8'));

const animalStore = (...words) =>
  execFileSync('animal-store', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const store = async (key) => {
  const response = await fetch(
    `https://${host.includes(':') ? `[${host}]` : host}:${port}/api/v1/namespaces/${namespace}/secrets`,
    {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'animal-store-first-key' },
        stringData: { key },
      }),
    },
  );
  if (response.ok) return;
  const error = new Error(`the API server answered ${response.status}: ${await response.text()}`);
  throw Object.assign(error, { alreadyExists: response.status === 409 });
};

const validKeys = () => JSON.parse(animalStore('keys', 'list', '--json')).filter(({ isValid }) => isValid);

if (!API_KEYS?.trim() && !API_KEYS_FILE?.trim() && validKeys().length === 0) {
  const { id, key } = JSON.parse(animalStore('keys', 'create', '--name', 'first', '--json'));
  try {
    await store(key);
    process.stderr.write(`the API key ${id} is in the Secret animal-store-first-key\n`);
  } catch (error) {
    // Revokes the key, because its text is lost, and the next run would create no key while a valid one exists.
    animalStore('keys', 'revoke', id);
    if (!error.alreadyExists) throw error;
    process.stderr.write(
      'no key is valid, and the Secret animal-store-first-key exists: delete it, or run `animal-store keys create --name NAME`\n',
    );
  }
}
