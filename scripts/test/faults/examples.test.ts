import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { ensureDebianPackages } from '../../debian-packages.ts';
import { openExamples, type ExampleFixture } from '../support/open-examples.ts';

/** The Go that the machine came with, or Debian's. */
const go = existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : '/usr/bin/go';
const php = '/usr/bin/php';

const languages = {
  php: { run: [php], receive: [php, '-S', '127.0.0.1:$PORT'] },
  // `go run` leaves its program running when it is killed.
  go: { run: [go, 'run'], receive: ['sh', '-c', `${go} build -o receiver "$1" && exec ./receiver`, 'sh'] },
};

let fixture: ExampleFixture;
before(async () => {
  await ensureDebianPackages([
    { name: 'php-cli', proof: php },
    { name: 'golang-go', proof: go },
  ]);
  fixture = await openExamples();
});
after(() => fixture.close());

describe('the guide to the API', () => {
  for (const [ending, { run, receive }] of Object.entries(languages)) {
    test(`verify.${ending} prints the verdict`, async () => {
      const { stdout, stderr } = await fixture.run(run, `verify.${ending}`);
      assert.match(stdout, /^ada@example\.com safe 9\d\n$/, stderr);
    });

    test(`bulk.${ending} prints the verdict of every valid address`, async () => {
      const { stdout, stderr } = await fixture.run(run, `bulk.${ending}`);
      // Go hands a map out in any order.
      const lines = stdout.trimEnd().split('\n').sort();
      assert.deepEqual(lines, ['ada@example.com safe', 'bob@example.com invalid'], stderr);
    });

    test(`errors.${ending} prints the reason of a refusal`, async () => {
      const { stdout, stderr } = await fixture.run(run, `errors.${ending}`);
      assert.equal(stdout, '400 invalid_email\n', stderr);
    });

    test(`webhook.${ending} believes the service, and nobody without a signature`, async () => {
      assert.match(await fixture.receive(receive, `webhook.${ending}`), /^webhook\.test \{"webhook_id"/);
    });
  }
});
