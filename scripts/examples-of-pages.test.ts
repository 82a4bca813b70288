import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';
import type { FormKey, CreatedKey, ListRecord } from '@mailproof/client';
import {
  examplesOf,
  openExamples,
  pagesWithExamples,
  readPage,
  type ExampleFixture,
} from './test/support/open-examples.ts';
import type { Settings } from '../service/test/support/mailproof.ts';

/** The examples of every page but docs/api.md, which has a test of its own (examples.test.ts). */
let fixture: ExampleFixture;
let accountId: string;
before(async () => {
  fixture = await openExamples();
  accountId = (await fixture.client.account()).account_id;
});
after(() => fixture.close());

const wereRun = new Set<string>();

async function run(name: string, settings?: Settings | (() => Promise<Settings>)): Promise<string> {
  wereRun.add(name);
  const { code, stdout, stderr } = await fixture.run([name.endsWith('.js') ? 'node' : 'sh'], name, settings);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** A file beside the example. */
function write(name: string, text: string): void {
  writeFileSync(join(fixture.folder, name), text);
}

const read = (name: string): string => readFileSync(join(fixture.folder, name), 'utf8');

/** The output that a page shows after an example, indented by four. */
function shownAfter(page: string, example: string): string {
  const rest = readPage(page).split(` ${example}\n`)[1] ?? '';
  const lines = /\n\n(?<lines>(?: {4}.*\n)+)/.exec(rest)?.groups?.['lines'] ?? '';
  return lines.replaceAll(/^ {4}/gm, '');
}

async function upload(text: string): Promise<string> {
  const { list_id: id } = await fixture.client.lists.create(text, { contentType: 'text/csv' });
  return id;
}

describe('docs/checking-lists.md', () => {
  test('upload-list.sh is answered with what was found in the file', async () => {
    write('customers.csv', 'Name,Email\nAda,ada@example.com\nBob,bob@example.com\n');
    const found = JSON.parse(await run('upload-list.sh')) as ListRecord;
    assert.partialDeepStrictEqual(found, { state: 'surveyed', addresses: 2 });
  });

  test('run-list.sh starts the list, shows its progress and downloads it', async () => {
    const downloads = () => readdirSync(fixture.folder).filter((name) => name.endsWith('-checked.csv'));
    const stdout = await run('run-list.sh', async () => {
      for (const name of downloads()) rmSync(join(fixture.folder, name));
      return { LIST_ID: await upload('Email\nada@example.com\n') };
    });
    assert.match(stdout, /"state":"running".*"list_id"/s);
    const [downloaded = ''] = downloads();
    assert.match(read(downloaded), /^Email,email_status/);
  });
});

describe('docs/command-line.md', () => {
  test('verify-one.sh prints the evidence that the page shows', async () => {
    const withoutChance = (text: string) =>
      text
        .replaceAll(/<\S+@plain\.test>:(?=\s+Recipient)/g, '<…>:')
        .replaceAll(/took .*/g, '')
        .replaceAll(/\s+/g, ' ');
    assert.equal(
      withoutChance(await run('verify-one.sh')),
      withoutChance(shownAfter('docs/command-line.md', 'verify-one.sh')),
    );
  });

  test('verify-files.sh verifies what stands in a file and what comes through a pipe', async () => {
    write('addresses.txt', 'ada@example.com\nbob@example.com\n');
    write('people.csv', 'Ada,ada@example.com\nBob,bob@example.com\n');
    const piped = await run('verify-files.sh');
    const written = read('results.jsonl').trimEnd().split('\n');
    const statuses = written.map((line) => (JSON.parse(line) as { status: string }).status);
    assert.deepEqual(statuses, ['safe', 'invalid']);
    assert.match(piped, /^safe .* ada@example\.com .*\ninvalid .* bob@example\.com /);
  });

  test('check.sh shows the cost, asks, and adds the results as columns', async () => {
    write('people.csv', 'Name,E-Mail\nAda,ada@example.com\nBob,bob@example.com\n');
    wereRun.add('check.sh');
    const inTerminal = ['python3', '-c', 'import pty, sys; pty.spawn(["sh", sys.argv[1]])'];
    const { child, wrote, ended } = fixture.start(inTerminal, 'check.sh');
    await wrote(/Cost: up to 2 credits, for conclusive results only; the account has [\d,]+\r?\nContinue\?/);
    child.stdin.write('y\n');
    assert.equal((await ended).code, 0);
    assert.match(read('checked.csv'), /^Name,E-Mail,email_status.*\nAda,ada@example\.com,safe,/);
  });

  test('lists.sh does with a list what it says', async () => {
    let id = '';
    await run('lists.sh', async () => {
      id = await upload('Email\nada@later.test\nbob@later.test\n');
      return { LIST_ID: id };
    });
    assert.match(read('good.csv'), /^Email,/);
    await assert.rejects(fixture.client.lists.read(id), { reason: 'list_not_found' });
  });

  test('parse-and-classify.sh prints what the page shows', async () => {
    const shown = shownAfter('docs/command-line.md', 'parse-and-classify.sh');
    assert.equal(await run('parse-and-classify.sh'), shown);
  });
});

describe('docs/form-guard.md', () => {
  test('form-check.sh gets the answer that the page shows, with a key that create-form-key.sh prints', async () => {
    const printed = await run('create-form-key.sh', { ACCOUNT_ID: accountId });
    const key: FormKey['form_key'] = /mp_pub_\w+/.exec(printed)?.[0] ?? assert.fail(printed);
    const answer = await run('form-check.sh', { MAILPROOF_FORM_KEY: key });
    assert.equal(answer.trim(), shownAfter('docs/form-guard.md', 'form-check.sh').trim());
  });
});

describe('docs/keys.md', () => {
  test('create-key.sh creates a key with limits, and limit-keys.sh another one, and changes them', async () => {
    const created = JSON.parse(await run('create-key.sh')) as CreatedKey;
    const limits = { scopes: ['verify'], allowed_ips: ['192.0.2.0/24'] };
    assert.partialDeepStrictEqual(created, { ...limits, credits_per_day: 500 });
    const printed = await run('limit-keys.sh', { ACCOUNT_ID: accountId, KEY_ID: created.key_id });
    assert.match(printed, /mp_live_/);
    const { keys } = await fixture.client.keys.list();
    const changed = keys.find(({ key_id: id }) => id === created.key_id);
    assert.partialDeepStrictEqual(changed, { ...limits, expires_at: '2099-12-31T00:00:00.000Z' });
    assert.equal(changed?.credits_per_day, null);
  });
});

describe('docs/people.md', () => {
  test('invite.sh is answered with the link of an invitation', async () => {
    const { url } = JSON.parse(await run('invite.sh')) as { url: string };
    assert.match(url, /^https:\/\/mail\.example\.com\/invitation#/);
  });
});

describe('docs/webhooks.md', () => {
  test('create-endpoint.sh creates an endpoint and is handed its secret', async () => {
    const created = JSON.parse(await run('create-endpoint.sh')) as { webhook_id: string; secret: string };
    assert.match(created.secret, /^whsec_/);
    await fixture.client.webhooks.delete(created.webhook_id);
  });

  test('receive.js believes what is signed, and nothing else', async () => {
    await run('receive.js');
    const secret = Buffer.alloc(32, 7);
    process.env['WEBHOOK_SECRET'] = `whsec_${secret.toString('base64')}`;
    const module = (await import(pathToFileURL(join(fixture.folder, 'receive.js')).href)) as {
      POST(request: Request): Promise<Response>;
    };
    const body = '{"type":"webhook.test","data":{}}';
    const signed = { 'webhook-id': 'msg_1', 'webhook-timestamp': `${Math.floor(Date.now() / 1000)}` };
    const signature = createHmac('sha256', secret).update([...Object.values(signed), body].join('.'));
    const request = (given: string) =>
      new Request('https://hooks.example.com/mailproof', {
        method: 'POST',
        body,
        headers: { ...signed, 'webhook-signature': `v1,${given}` },
      });
    assert.equal((await module.POST(request(signature.digest('base64')))).status, 204);
    await assert.rejects(module.POST(request('AAAA')), { name: 'WebhookVerificationError' });
  });
});

describe('client/README.md', () => {
  test('one-address.js prints the verdict', async () => {
    assert.match(await run('one-address.js'), /^safe 9\d 1\n$/);
  });

  test('one-list.js prints the counts and the rows that can be sent to', async () => {
    assert.match(await run('one-list.js'), /^2 1\nName,Email,email_status.*\nAda,ada@example.com,safe,/);
  });

  test('many-addresses.js prints one line for each', async () => {
    assert.deepEqual((await run('many-addresses.js')).trimEnd().split('\n').sort(), [
      '0 ada@example.com safe',
      '1 invalid@example.com invalid',
      '2 no address was rejected: not_an_address',
      '3    was rejected: blank',
    ]);
  });

  test('refusal.js prints the reason and the id of the request', async () => {
    assert.match(await run('refusal.js'), /^invalid_email 400 \S+\n$/);
  });

  test('once.js prints the verdict', async () => {
    assert.equal(await run('once.js'), 'safe\n');
  });
});

describe('every page', () => {
  test('has only examples that are run, each with a name of its own', () => {
    const pages = pagesWithExamples.filter((page) => page !== 'docs/api.md');
    const names = pages.flatMap((page) => [...examplesOf(page).keys()]);
    assert.deepEqual([...wereRun].sort(), names.sort());
    for (const page of pages) {
      const unnamed = readPage(page).match(/^ *```[a-z]+$|^ {4}(?:\$ |curl |\.\/mailproof )/gm) ?? [];
      assert.deepEqual(unnamed, [], page);
    }
  });
});
