import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createWholeServer } from '../../../start/whole-server.ts';
import { createTestParts } from '../../../../test/support/http/test-parts.ts';

const server = await createWholeServer(createTestParts());

test('the docs page refers to nothing outside this process', async () => {
  const response = await server.inject('/docs/');
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.body.match(/(?:https?:)?\/\/[\w.-]+\.\w+/g), null);
  for (const [, source] of response.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
    assert.equal(
      (await server.inject(new URL(source!, 'http://localhost/docs/').pathname)).statusCode,
      200,
      source,
    );
  }
  for (const off of ['"telemetry": false', '"withDefaultFonts": false', '"proxyUrl": ""']) {
    assert.ok(response.body.includes(off), off);
  }
});

test('its policy lets nothing in from elsewhere and nothing out', async () => {
  const response = await server.inject('/docs/');
  const policy = String(response.headers['content-security-policy']);
  const directives = new Map(
    policy.split('; ').map((directive) => [directive.split(' ')[0]!, directive.split(' ').slice(1)]),
  );
  assert.deepEqual(directives.get('default-src'), ["'none'"]);
  assert.deepEqual(directives.get('connect-src'), ["'self'"]);
  const script = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(response.body)?.[1];
  assert.ok(script !== undefined);
  const hash = createHash('sha256').update(script).digest('base64');
  assert.deepEqual(directives.get('script-src'), ["'self'", `'sha256-${hash}'`]);
  for (const sources of directives.values()) {
    for (const source of sources)
      assert.match(source, /^(?:'none'|'self'|'unsafe-inline'|'sha256-.*'|data:)$/);
  }
});

test('/docs leads to the page, and its script comes from here', async () => {
  const redirect = await server.inject('/docs');
  assert.deepEqual([redirect.statusCode, redirect.headers['location']], [301, '/docs/']);
  const script = await server.inject('/docs/js/scalar.js');
  assert.equal(script.statusCode, 200);
  assert.match(String(script.headers['content-type']), /javascript/);
});

test('the OpenAPI document is 3.1 and describes every endpoint with examples and every status', async () => {
  const response = await server.inject('/openapi.json');
  const document: unknown = JSON.parse(response.body);
  assert.ok(
    typeof document === 'object' && document !== null && 'openapi' in document && 'paths' in document,
  );
  assert.match(String(document.openapi), /^3\.1\./);
  const paths = document.paths as Record<string, Record<string, { responses: object; security?: object }>>;
  const statuses = Object.fromEntries(
    Object.entries(paths)
      // Those of the operator have tests of their own.
      .filter(([path]) => !path.startsWith('/admin/'))
      .flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, { responses }]) => [
          `${method} ${path}`,
          Object.keys(responses).map(Number),
        ]),
      ),
  );
  assert.deepEqual(statuses, {
    'post /api/v1/email-verification': [200, 400, 401, 403, 405, 409, 422, 429, 500, 502, 503, 504],
    'post /api/v1/bulk-email-verification': [201, 400, 401, 403, 405, 409, 422, 429, 500, 502, 503, 504],
    'get /api/v1/bulk-email-verification/{taskId}': [200, 401, 403, 404, 405, 429, 500, 502, 503, 504],
    'post /api/v1/lists': [201, 400, 401, 403, 405, 409, 413, 415, 422, 429, 500, 502, 503, 504],
    'get /api/v1/lists': [200, 400, 401, 403, 405, 429, 500, 503],
    'get /api/v1/lists/{listId}': [200, 401, 403, 404, 405, 429, 500, 503],
    'patch /api/v1/lists/{listId}': [200, 400, 401, 403, 404, 405, 409, 429, 500, 503],
    'delete /api/v1/lists/{listId}': [204, 401, 403, 404, 405, 409, 429, 500, 503],
    'post /api/v1/lists/{listId}/start': [202, 400, 401, 403, 404, 405, 409, 422, 429, 500, 503],
    'post /api/v1/lists/{listId}/pause': [200, 401, 403, 404, 405, 409, 429, 500, 503],
    'post /api/v1/lists/{listId}/resume': [200, 401, 403, 404, 405, 409, 429, 500, 503],
    'post /api/v1/lists/{listId}/cancel': [200, 401, 403, 404, 405, 409, 429, 500, 503],
    'get /api/v1/lists/{listId}/rows': [200, 400, 401, 403, 404, 405, 429, 500, 503],
    'get /api/v1/lists/{listId}/rows/{row}': [200, 401, 403, 404, 405, 429, 500, 503],
    'get /api/v1/lists/{listId}/download': [200, 400, 401, 403, 404, 405, 429, 500, 503],
    'post /session': [200, 400, 401, 403, 405, 429, 500, 503],
    'get /session': [200, 401, 403, 405, 500, 503],
    'delete /session': [204, 400, 403, 405, 500, 503],
    'get /api/v1/account': [200, 401, 403, 405, 429, 500, 503],
    'get /api/v1/account/ledger': [200, 400, 401, 403, 405, 429, 500, 503],
    'get /api/v1/account/usage': [200, 400, 401, 403, 405, 429, 500, 503],
    'get /api/v1/account/tasks': [200, 400, 401, 403, 405, 429, 500, 503],
    'get /api/v1/account/keys': [200, 401, 403, 405, 429, 500, 503],
    'post /api/v1/account/keys': [201, 400, 401, 403, 405, 409, 429, 500, 503],
    'patch /api/v1/account/keys/{keyId}': [200, 400, 401, 403, 404, 405, 429, 500, 503],
    'delete /api/v1/account/keys/{keyId}': [204, 400, 401, 403, 404, 405, 429, 500, 503],
    'delete /api/v1/account/invitations/{invitationId}': [204, 400, 401, 403, 404, 405, 429, 500, 503],
    'delete /api/v1/account/people/{personId}': [204, 400, 401, 403, 404, 405, 409, 429, 500, 503],
    'get /api/v1/account/people': [200, 401, 403, 405, 429, 500, 503],
    'get /session/options': [200, 405, 500, 503],
    'patch /api/v1/account/people/{personId}': [200, 400, 401, 403, 404, 405, 409, 429, 500, 503],
    'post /api/v1/account/invitations': [201, 400, 401, 403, 405, 409, 429, 500, 503],
    'post /session/provider': [200, 400, 403, 405, 500, 502, 503],
    'post /api/v1/form-check': [200, 400, 401, 403, 405, 429, 500, 503],
    'get /api/v1/account/form-keys': [200, 401, 403, 405, 429, 500, 503],
    'post /api/v1/account/form-keys': [201, 400, 401, 403, 405, 409, 429, 500, 503],
    'delete /api/v1/account/form-keys/{formKey}': [204, 400, 401, 403, 404, 405, 429, 500, 503],
    'get /api/v1/webhooks': [200, 401, 403, 405, 429, 500, 503],
    'post /api/v1/webhooks': [201, 400, 401, 403, 405, 409, 429, 500, 503],
    'get /api/v1/webhooks/{webhookId}': [200, 401, 403, 404, 405, 429, 500, 503],
    'patch /api/v1/webhooks/{webhookId}': [200, 400, 401, 403, 404, 405, 429, 500, 503],
    'delete /api/v1/webhooks/{webhookId}': [204, 400, 401, 403, 404, 405, 429, 500, 503],
    'post /api/v1/webhooks/{webhookId}/rotate-secret': [200, 400, 401, 403, 404, 405, 429, 500, 503],
    'get /api/v1/webhooks/{webhookId}/deliveries': [200, 400, 401, 403, 404, 405, 429, 500, 503],
    'post /api/v1/webhooks/{webhookId}/test': [202, 400, 401, 403, 404, 405, 409, 429, 500, 503],
    'post /api/v1/webhooks/{webhookId}/deliveries/{deliveryId}/send': [
      202, 400, 401, 403, 404, 405, 409, 429, 500, 503,
    ],
    'post /probe/v1/enrol': [200, 400, 401, 405, 429, 500, 503],
    'post /probe/v1/lease': [200, 400, 401, 405, 500, 503],
    'post /probe/v1/report': [200, 400, 401, 405, 500, 503],
    'get /healthz': [200, 405],
    'get /readyz': [200, 405, 503],
  });
  assert.ok(response.body.includes('"scheme":"bearer"'));
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    // A 204 has nothing to show.
    const withoutExample = Object.entries(operation.responses).filter(
      ([status, given]) => status !== '204' && !JSON.stringify(given).includes('example'),
    );
    if (operation.security !== undefined)
      assert.deepEqual(
        withoutExample.map(([status]) => status),
        [],
      );
  }
});

test('the reference opens with an introduction: the first request as the guide has it, and every status', async () => {
  const document = (await server.inject('/openapi.json')).json<OpenapiDocument>();
  const { description } = document.info;
  const guide = readFileSync(join(import.meta.dirname, '../../../../../docs/api.md'), 'utf8');
  const [inGuide, here] = [guide, description].map((text) => /```sh[^\n]*\n([^`]*)```/.exec(text)?.[1]);
  assert.ok(here !== undefined);
  assert.equal(here, inGuide);
  for (const status of document.components.schemas.VerificationResult.properties.status.enum)
    assert.ok(description.includes(`\`${status}\``), status);
});

type OpenapiDocument = {
  info: { description: string };
  components: { schemas: { VerificationResult: { properties: { status: { enum: string[] } } } } };
};
