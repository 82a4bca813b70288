import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { StartError } from '../../src/core/config/start-error.ts';
import { readTlsPair, renewTlsPair } from '../../src/start/open-tls.ts';
import { openFixture } from '../support/open-fixture.ts';
import { until } from '../support/until.ts';

const here = import.meta.dirname;
const first = join(here, '../faults/probers/certificates');
const second = join(here, '../../../world/src/certificates');
const folder = mkdtempSync(join(tmpdir(), 'mailproof-tls-'));
const tlsCertFile = join(folder, 'cert.pem');
const tlsKeyFile = join(folder, 'key.pem');
after(() => rmSync(folder, { recursive: true }));

function install(pair: string): X509Certificate {
  copyFileSync(join(pair, 'test-only-certificate.pem'), tlsCertFile);
  copyFileSync(join(pair, 'test-only-key.pem'), tlsKeyFile);
  return new X509Certificate(readFileSync(tlsCertFile));
}

describe('TLS by the service itself', () => {
  it('serves the API over HTTPS with the certificate of the files', async () => {
    const certificate = install(first);
    const settings = { MAILPROOF_TLS_CERT_FILE: tlsCertFile, MAILPROOF_TLS_KEY_FILE: tlsKeyFile };
    const world = { zones: {}, hosts: { 'mx.plain.test': {} } };
    const fixture = await openFixture({ world, settings });
    const service = await fixture.startHere();
    try {
      assert.match(service.url, /^https:\/\/127\.0\.0\.1:\d+$/);
      const answer = await ask(`${service.url}/healthz`);
      assert.deepEqual([answer.status, answer.fingerprint], [200, certificate.fingerprint256]);
      assert.equal(await ask(service.url.replace('https:', 'http:')).catch(() => 'refused'), 'refused');
    } finally {
      await service.stop();
      await fixture.close();
    }
  });

  it('a renewed certificate is served without a restart, and a broken one is not', async () => {
    const before = install(first);
    const pair = readTlsPair({ tlsCertFile, tlsKeyFile });
    assert.ok(pair !== undefined);
    const served: string[] = [];
    const problems: string[] = [];
    const stop = renewTlsPair(
      {
        setSecureContext: ({ cert }) => void served.push(new X509Certificate(cert as Buffer).fingerprint256),
      },
      { tlsCertFile, tlsKeyFile },
      { pair, onProblem: (message) => void problems.push(message), everyMs: 5 },
    );
    try {
      writeFileSync(tlsCertFile, 'half a certif');
      await until(() => problems.length === 1);
      const renewed = install(second);
      await until(() => served.length === 1);
      assert.deepEqual(served, [renewed.fingerprint256]);
      assert.notEqual(renewed.fingerprint256, before.fingerprint256);
      assert.equal(problems.length, 1, 'told once');
    } finally {
      stop();
    }
  });

  it('one file without the other, or files that do not fit, stop the start with one line', () => {
    install(first);
    assert.throws(() => readTlsPair({ tlsCertFile, tlsKeyFile: undefined }), StartError);
    copyFileSync(join(second, 'test-only-key.pem'), tlsKeyFile);
    assert.throws(() => readTlsPair({ tlsCertFile, tlsKeyFile }), /are no certificate with its key/);
    assert.equal(readTlsPair({ tlsCertFile: undefined, tlsKeyFile: undefined }), undefined);
  });
});

async function ask(url: string): Promise<{ status: number | undefined; fingerprint: string | undefined }> {
  const { hostname, port } = new URL(url);
  const fingerprint = await new Promise<string>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request(url, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  return { status, fingerprint };
}
