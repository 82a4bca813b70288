import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestParts } from '../../test/support/http/test-parts.ts';
import { featureNames, neededBy, type FeatureName } from '../core/config/feature-names.ts';
import { connectionLimits } from '../core/http/server.ts';
import { createMetrics } from '../features/metrics/create-metrics.ts';
import { createAdminToken } from '../core/keys/admin-token.ts';
import { readConfig } from './config.ts';
import { features } from './features.ts';
import { createWholeServer } from './whole-server.ts';

/** The contract's own paths. Everything else is of a feature, or for load balancers and readers of the docs. */
const corePaths = [
  '/api/v1/bulk-email-verification',
  '/api/v1/bulk-email-verification/{taskId}',
  '/api/v1/email-verification',
  '/healthz',
  '/readyz',
];

/** A path of each feature that has some, and the families of figures that go with it. */
const traces: Partial<Record<FeatureName, { path: string; tag?: string; metric?: string }>> = {
  account: { path: '/api/v1/account', tag: 'Account' },
  lists: { path: '/api/v1/lists', tag: 'Lists', metric: 'mailproof_lists' },
  webhooks: { path: '/api/v1/webhooks', tag: 'Webhooks', metric: 'mailproof_webhook_deliveries_pending' },
  forms: { path: '/api/v1/account/form-keys', tag: 'Forms' },
  people: { path: '/session', tag: 'Session' },
  agents: { path: '/llms.txt' },
  probers: { path: '/admin/v1/probers', tag: 'Probers', metric: 'mailproof_prober_well' },
  operator: { path: '/admin/v1/accounts', tag: 'Administration' },
  metrics: { path: '/metrics' },
  about: { path: '/about-this-host' },
  console: { path: '/' },
};

async function openWith(names: readonly FeatureName[]) {
  const exposition = { contentType: 'text/plain', text: () => Promise.resolve('requests 1') };
  const parts = createTestParts({
    adminToken: createAdminToken('the-token-of-the-operator'),
    metrics: { token: createAdminToken('the-token-of-the-figures'), exposition },
    about: { heloNames: ['mx.example.com'], mailFrom: 'verify@example.com', contact: 'abuse@example.com' },
  });
  const server = await createWholeServer(parts, connectionLimits, names);
  const text = (await server.inject('/openapi.json')).body;
  const document = JSON.parse(text) as { paths: Record<string, object>; tags: { name: string }[] };
  const statusOf = async (url: string) => (await server.inject({ url })).statusCode;
  return { server, text, document, statusOf };
}

function familiesOf(names: readonly FeatureName[]) {
  return createMetrics(names)
    .read()
    .then((families) => families.map(({ family }) => family.name));
}

const without = (name: FeatureName): FeatureName[] => {
  const rest = new Set<FeatureName>(featureNames);
  const drop = (one: FeatureName): void => {
    rest.delete(one);
    for (const other of featureNames) if (neededBy[other]?.includes(one) === true) rest.delete(other);
  };
  drop(name);
  return [...rest];
};

test('every feature has its folder, its line and its name', () => {
  assert.deepEqual(features.map(({ name }) => name).toSorted(), [...featureNames].toSorted());
});

test('the core alone has the paths of the contract, and none else', async () => {
  const { server, document, statusOf } = await openWith([]);
  assert.deepEqual(Object.keys(document.paths).toSorted(), corePaths);
  assert.deepEqual(
    document.tags.map(({ name }) => name),
    ['Verification', 'Bulk verification', 'Operation'],
  );
  for (const { path } of Object.values(traces)) assert.equal(await statusOf(path), 404, path);
  await server.close();
});

test('a feature that misses one it needs is refused in one line', () => {
  const read = readConfig({ MAILPROOF_FEATURES: 'people' });
  assert.deepEqual(read, {
    kind: 'bad',
    problem: 'MAILPROOF_FEATURES names people, which needs account: add account, or leave people out',
  });
});

for (const name of featureNames)
  describe(`without ${name}`, () => {
    const trace = traces[name];

    test('the service starts, and the contract is there', async () => {
      const { server, document, statusOf } = await openWith(without(name));
      for (const path of corePaths) assert.ok(path in document.paths, path);
      assert.equal(await statusOf('/api/v1/email-verification'), 405);
      await server.close();
    });

    if (trace === undefined) return;
    const { path, tag, metric } = trace;

    test('nothing of it is left in routes, reference and figures', async () => {
      const { server, document, text, statusOf } = await openWith(without(name));
      assert.equal(await statusOf(path), 404);
      assert.ok(!(path in document.paths), path);
      if (tag !== undefined) assert.ok(!text.includes(`"${tag}"`), tag);
      if (metric !== undefined) assert.ok(!(await familiesOf(without(name))).includes(metric));
      await server.close();
    });

    test('with it, all of that is there', async () => {
      const { server, text, statusOf } = await openWith(featureNames);
      assert.notEqual(await statusOf(path), 404);
      if (tag !== undefined) assert.ok(text.includes(`"${tag}"`), tag);
      if (metric !== undefined) assert.ok((await familiesOf(featureNames)).includes(metric));
      await server.close();
    });
  });
