import { expect } from 'chai';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProgram } from '../../support/processes/command';

/** Paths of PEM files. */
export interface Certificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/**
 * Makes a self-signed certificate for 127.0.0.1 in a folder. Needs `openssl`. The file of the certificate also has the
 * private key, because HAProxy reads both from one file.
 */
export const makeCertificate = async (folder: string): Promise<Certificate> => {
  const [certificate, privateKey] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const { code, stderr } = await startProgram('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=animal store test', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', privateKey, '-out', certificate],
  ]).ended;
  expect(code, stderr).to.equal(0);
  await appendFile(certificate, await readFile(privateKey, 'utf8'));
  return { certificate, privateKey };
};

/** Makes a certificate that is like another one, with the same key, but has expired. */
export const expiredLike = async ({ certificate, privateKey }: Certificate): Promise<Certificate> => {
  const expired = certificate.replace('.pem', '-expired.pem');
  // -1 is the only number of days below 1 that openssl accepts.
  const words = ['x509', '-in', certificate, '-signkey', privateKey, '-days', '-1', '-out', expired];
  const { code, stderr } = await startProgram('openssl', words).ended;
  expect(code, stderr).to.equal(0);
  return { certificate: expired, privateKey };
};
