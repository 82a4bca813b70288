import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '@mailproof/world';

/** The health check of the image, as the Dockerfile has it. */
const root = join(import.meta.dirname, '..');
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const [, command = '[]'] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(dockerfile) ?? [];
const [, ...args] = JSON.parse(command) as string[];

const certificates = join(root, 'world/src/certificates');
const tls = {
  cert: readFileSync(join(certificates, 'test-only-certificate.pem')),
  key: readFileSync(join(certificates, 'test-only-key.pem')),
};

async function check(port: number): Promise<number | null> {
  const env = { ...process.env, MAILPROOF_PORT: String(port) };
  const [code] = (await once(spawn(process.execPath, args, { env }), 'exit')) as [number | null];
  return code;
}

async function checkServer(server: Server): Promise<number | null> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await check((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const answer =
  (status: number): RequestListener =>
  ({ url }, response) =>
    void response.writeHead(url === '/healthz' ? status : 404).end();

test('the health check of the image passes over HTTP, and over TLS whatever the certificate is for', async () => {
  assert.equal(await checkServer(createHttpServer(answer(200))), 0);
  assert.equal(await checkServer(createHttpsServer(tls, answer(200))), 0);
});

test('the health check fails if the service does not answer, or says that it is not well', async () => {
  assert.equal(await checkServer(createHttpServer(answer(503))), 1);
  assert.equal(await checkServer(createHttpsServer(tls, answer(503))), 1);
  assert.equal(await check(await freePort()), 1);
});
