import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BulkTaskProgress, VerificationResult } from '@mailproof/client';
import { examplesOf, openExamples, readPage, type ExampleFixture } from './test/support/open-examples.ts';
import { findOnPath, whyNotHere } from './test-programs.ts';

/** The Go that the machine came with, or Debian's. */
const go = findOnPath(['go'], { PATH: `/usr/local/go/bin:${process.env['PATH'] ?? ''}` }) ?? '/usr/bin/go';
const php = findOnPath(['php']) ?? '/usr/bin/php';
const python = findOnPath(['python3']) ?? '/usr/bin/python3';

const languages = {
  js: { run: ['node'], receive: ['node'], packages: [] },
  py: { run: [python], receive: [python], packages: [{ name: 'python3', proof: python }] },
  php: {
    run: [php],
    receive: [php, '-S', '127.0.0.1:$PORT'],
    packages: [{ name: 'php-cli', proof: php }],
  },
  // `go run` leaves its program running when it is killed.
  go: {
    run: [go, 'run'],
    receive: ['sh', '-c', `${go} build -o receiver "$1" && exec ./receiver`, 'sh'],
    packages: [{ name: 'golang-go', proof: go }],
  },
};
const curl = findOnPath(['curl']) ?? '/usr/bin/curl';
const withoutCurl = await whyNotHere([{ name: 'curl', proof: curl }]);
const withoutLanguage = new Map<string, string | false>();
for (const [ending, { packages }] of Object.entries(languages))
  withoutLanguage.set(ending, await whyNotHere(packages));
const guide = readPage('docs/api.md');
const kinds = ['verify', 'bulk', 'errors', 'webhook'];

let fixture: ExampleFixture;
before(async () => void (fixture = await openExamples()));
after(() => fixture.close());

describe('the guide to the API', () => {
  test('shows every example in curl, JavaScript, Python, PHP and Go', () => {
    const endings = ['sh', 'js', 'py', 'php', 'go'];
    const wanted = kinds.flatMap((kind) => endings.map((ending) => `${kind}.${ending}`));
    assert.deepEqual([...examplesOf('docs/api.md').keys()], wanted);
  });

  test('names every field, status and error of the three verification calls', async () => {
    const document = (await (await fetch(`${fixture.url}/openapi.json`)).json()) as OpenapiDocument;
    const { schemas } = document.components;
    const single = ['VerificationRequest', 'VerificationResult'];
    const bulk = ['BulkRequest', 'BulkCreated', 'BulkProgress', 'BulkResultRecord'];
    const fields = [...single, ...bulk].flatMap((name) =>
      Object.keys(schemas[name]?.properties ?? assert.fail(`the document has no ${name}`)),
    );
    const statuses = schemas['VerificationResult']?.properties['status']?.enum ?? [];
    const calls = Object.entries(document.paths).filter(([path]) => /\/(?:bulk-)?email-ver/.test(path));
    const reasons = [...JSON.stringify(calls).matchAll(/"reason":"(?<reason>\w+)"/g)].map(
      ({ groups }) => groups?.['reason'] ?? '',
    );
    assert.ok(fields.length > 30 && statuses.length === 9 && new Set(reasons).size > 10);
    const missing = [...fields, ...statuses, ...reasons].filter((name) => !guide.includes(`\`${name}\``));
    assert.deepEqual(missing, []);
  });

  test('verify.sh gets the result that the guide shows', { skip: withoutCurl }, async () => {
    const { stdout } = await fixture.run(['sh'], 'verify.sh');
    const shown = /^```json\n(?<json>.*?)^```$/ms.exec(guide)?.groups?.['json'] ?? '';
    const [result, promised] = [stdout, shown].map((text) => JSON.parse(text) as VerificationResult);
    assert.deepEqual({ ...result, overall_score: 0 }, { ...promised, overall_score: 0 });
    assert.equal(result?.overall_score, promised?.overall_score);
  });

  test('bulk.sh ends with the completed task', { skip: withoutCurl }, async () => {
    const { stdout } = await fixture.run(['sh'], 'bulk.sh');
    const task = JSON.parse(stdout) as BulkTaskProgress;
    assert.equal(task.name, 'API: May');
    assert.deepEqual(
      Object.entries(task.results ?? {}).map(([email, { status }]) => `${email} ${status}`),
      ['ada@example.com safe', 'bob@example.com invalid'],
    );
  });

  test('errors.sh reads the reason of a refusal', { skip: withoutCurl }, async () => {
    const { stdout } = await fixture.run(['sh'], 'errors.sh');
    assert.deepEqual(JSON.parse(stdout), { status: 'error', reason: 'invalid_email' });
  });

  test('webhook.sh creates an endpoint and is handed its secret', { skip: withoutCurl }, async () => {
    const settings = { WEBHOOK_URL: 'https://hooks.example.com/mailproof' };
    const { stdout } = await fixture.run(['sh'], 'webhook.sh', settings);
    const created = JSON.parse(stdout) as { webhook_id: string; secret: string };
    assert.match(created.secret, /^whsec_/);
    await fixture.client.webhooks.delete(created.webhook_id);
  });

  for (const [ending, { run, receive }] of Object.entries(languages)) {
    const skip = withoutLanguage.get(ending) ?? false;
    test(`verify.${ending} prints the verdict`, { skip }, async () => {
      const { stdout, stderr } = await fixture.run(run, `verify.${ending}`);
      assert.match(stdout, /^ada@example\.com safe 9\d\n$/, stderr);
    });

    test(`bulk.${ending} prints the verdict of every valid address`, { skip }, async () => {
      const { stdout, stderr } = await fixture.run(run, `bulk.${ending}`);
      // Go hands a map out in any order.
      const lines = stdout.trimEnd().split('\n').sort();
      assert.deepEqual(lines, ['ada@example.com safe', 'bob@example.com invalid'], stderr);
    });

    test(`errors.${ending} prints the reason of a refusal`, { skip }, async () => {
      const { stdout, stderr } = await fixture.run(run, `errors.${ending}`);
      assert.equal(stdout, '400 invalid_email\n', stderr);
    });

    test(`webhook.${ending} believes the service, and nobody without a signature`, { skip }, async () => {
      assert.match(await fixture.receive(receive, `webhook.${ending}`), /^webhook\.test \{"webhook_id"/);
    });
  }
});

type OpenapiDocument = {
  paths: Record<string, object>;
  components: { schemas: Record<string, { properties: Record<string, { enum?: string[] }> }> };
};
