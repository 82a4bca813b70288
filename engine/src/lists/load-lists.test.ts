import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Clock } from '../clock.ts';
import type { Address } from '../syntax/address.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import { isPublicSuffix } from './domain-family.ts';
import { createLists, type Lists, type ListSettings } from './load-lists.ts';

const folder = mkdtempSync(join(tmpdir(), 'lists-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileOf(text: string): string {
  files += 1;
  const path = join(folder, `list-${files}.txt`);
  writeFileSync(path, text);
  return path;
}

function address(email: string): Address {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') throw new Error(`${email}: ${parsed.fault}`);
  return parsed.address;
}

type Setup = { lists: Lists; problems: string[]; wait: (ms: number) => void };

function listsWith(paths: ListSettings['files'], options: { watch?: boolean } = {}): Setup {
  const problems: string[] = [];
  let now = 0;
  const clock: Clock = { now: () => now, after: () => () => undefined };
  const lists = createLists({
    files: paths,
    ...options,
    clock,
    onProblem: (message) => problems.push(message),
  });
  return { lists, problems, wait: (ms) => (now += ms) };
}

const { lists: builtIn } = listsWith({});
const disposableNames = readFileSync(new URL('data/disposable-domains.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const nothing = { disposable: false, role: false, free: false, spamtrap: false, denied: false };

test('an ordinary address at an ordinary domain is on no list', () => {
  assert.deepEqual(builtIn.find(address('ann.lee@example.com')), nothing);
});

test('a disposable domain is found, and every name below it', () => {
  for (const host of [
    'mailinator.com',
    'MAILINATOR.com',
    'a.mailinator.com',
    'a.b.c.mailinator.com',
    'yopmail.com',
  ]) {
    assert.equal(builtIn.find(address(`ann@${host}`)).disposable, true, host);
  }
});

test('the names beside a disposable domain are not disposable', () => {
  for (const host of ['beside-mailinator.com', 'mailinator.com.example', 'com.mailinator.test']) {
    assert.equal(builtIn.find(address(`ann@${host}`)).disposable, false, host);
  }
});

test('a disposable name under a shared suffix says nothing of the suffix or of its neighbours', () => {
  const shared = disposableNames.filter(
    (name) => isPublicSuffix(name.slice(name.indexOf('.') + 1)) && name.split('.').length > 2,
  );
  assert.ok(shared.length > 100);
  for (const name of shared.slice(0, 200)) {
    const suffix = name.slice(name.indexOf('.') + 1);
    assert.equal(builtIn.find(address(`ann@${name}`)).disposable, true, name);
    assert.equal(builtIn.find(address(`ann@sub.${name}`)).disposable, true, name);
    assert.equal(builtIn.find(address(`ann@${suffix}`)).disposable, false, suffix);
    assert.equal(builtIn.find(address(`ann@never-listed-name.${suffix}`)).disposable, false, suffix);
  }
});

test('privacy relays are told apart and, like real providers, not disposable', () => {
  const relays =
    'privaterelay.appleid.com duck.com mozmail.com relay.firefox.com simplelogin.com slmail.me aleeas.com ann.anonaddy.com addy.io passmail.net passinbox.com cloaked.id';
  const providers =
    'gmail.com yahoo.co.uk outlook.de hotmail.fr gmx.net web.de proton.me tutanota.com yandex.ru mail.ru qq.com 163.com naver.com icloud.com aol.com zoho.com posteo.de mailbox.org t-online.de orange.fr libero.it seznam.cz wp.pl rediffmail.com';
  for (const host of relays.split(' ')) {
    assert.deepEqual(builtIn.find(address(`ann@${host}`)), { ...nothing, relay: true }, host);
  }
  for (const host of `fastmail.com ${providers}`.split(' ')) {
    const found = builtIn.find(address(`ann@${host}`));
    assert.deepEqual([found.disposable, found.relay], [false, undefined], host);
  }
});

test('a privacy relay is disposable only by the word of the operator', () => {
  const { lists } = listsWith({ disposable: fileOf('duck.com\n') });
  assert.deepEqual(lists.find(address('ann@duck.com')), { ...nothing, disposable: true, relay: true });
});

test('a free provider is found by its domain or the registrable domain above it', () => {
  for (const host of ['gmail.com', 'Yahoo.co.uk', 'web.de', 'tampabay.rr.com', 'mail.goo.ne.jp']) {
    assert.equal(builtIn.find(address(`ann@${host}`)).free, true, host);
  }
  for (const host of [
    'example.com',
    'co.uk',
    'mailinator.com',
    'duck.com',
    'gmail.com.example',
    'goo.ne.jp',
    'other.goo.ne.jp',
  ]) {
    assert.equal(builtIn.find(address(`ann@${host}`)).free, false, host);
  }
});

test('a domain one slip away from a large provider is told, unless it is well known itself', () => {
  assert.equal(builtIn.find(address('ann@gmial.com')).nearProvider, 'gmail.com');
  for (const host of ['gmail.com', 'email.com', 'ymail.com', 'example.com'])
    assert.ok(!('nearProvider' in builtIn.find(address(`ann@${host}`))), host);
});

test('a mail host of a service that parks domains is known, its other hosts are not', () => {
  for (const host of ['mail.h-email.net', 'mx37.mb5p.com', 'park-mx.above.com'])
    assert.equal(builtIn.isParkedMailHost(host), true, host);
  for (const host of ['mx.above.com', 'mx.example.com'])
    assert.equal(builtIn.isParkedMailHost(host), false, host);
});

test('roles that get no bulk mail are told apart from roles that people read', () => {
  for (const name of 'abuse postmaster spam security noc mailer-daemon noreply no.reply devnull fbl everyone Abuse+eu'.split(
    ' ',
  ))
    assert.deepEqual(
      builtIn.find(address(`${name}@example.com`)),
      { ...nothing, role: true, notForBulk: true },
      name,
    );
  for (const name of 'info sales contact support webmaster hello team'.split(' '))
    assert.deepEqual(builtIn.find(address(`${name}@example.com`)), { ...nothing, role: true }, name);
});

test('a machine address is told as such, and is no role for it', () => {
  const prvs = builtIn.find(address('prvs=2843a1b2c3=jane@example.com'));
  assert.deepEqual(prvs, { ...nothing, machine: true });
  const bounce = builtIn.find(address('bounce+a1b2c3@example.com'));
  assert.deepEqual(bounce, { ...nothing, role: true, notForBulk: true, machine: true });
});

test('a role is a matter of the local part alone', () => {
  assert.deepEqual(builtIn.find(address('Support+eu@example.com')), { ...nothing, role: true });
});

test('a mail host of a disposable service gives its domain away', () => {
  const unknown = address('ann@example.com');
  for (const host of [
    'mail.mailinator.com',
    'mail2.mailinator.com',
    'mx.yopmail.com',
    'recv1.erinn.biz',
    'generator.email',
  ]) {
    assert.equal(builtIn.isDisposableMailHost(host, unknown), true, host);
  }
  for (const host of [
    'mx.example.com',
    'aspmx.l.google.com',
    'mx1.simplelogin.co',
    'in1-smtp.messagingengine.com',
    'com',
    'mailinator.com.example',
  ]) {
    assert.equal(builtIn.isDisposableMailHost(host, unknown), false, host);
  }
});

test('the allow list outranks ours, for an address or for a domain and all below it, mail host included', () => {
  const { lists } = listsWith({ allow: fileOf('Ann@mailinator.com\nyopmail.com\n') });
  const disposable = (email: string): boolean => lists.find(address(email)).disposable;
  assert.equal(disposable('ann@MAILINATOR.com'), false);
  assert.equal(disposable('bob@mailinator.com'), true);
  assert.equal(disposable('bob@yopmail.com') || disposable('bob@deep.sub.yopmail.com'), false);
  assert.equal(lists.isDisposableMailHost('mail.mailinator.com', address('ann@mailinator.com')), false);
  assert.equal(lists.isDisposableMailHost('mail.mailinator.com', address('bob@example.com')), true);
});

test('the allow list outranks neither the deny list nor a spam trap', () => {
  const entry = 'ann@example.com\n';
  const { lists } = listsWith({ allow: fileOf(entry), deny: fileOf(entry), spamtraps: fileOf(entry) });
  assert.deepEqual(lists.find(address('ann@example.com')), { ...nothing, spamtrap: true, denied: true });
});

test('the deny list holds for an address, for a domain with all below it, for a whole suffix, and by hash', () => {
  const hash = createHash('sha256').update('carol@example.net').digest('hex');
  const { lists } = listsWith({ deny: fileOf(`ann@example.com\nMünchen.example\nco.uk\n${hash}\n`) });
  const denied = (email: string): boolean => lists.find(address(email)).denied;
  for (const email of [
    'ANN@example.com',
    'bob@xn--mnchen-3ya.example',
    'bob@a.münchen.example',
    'bob@example.co.uk',
    'Carol@Example.net',
  ]) {
    assert.equal(denied(email), true, email);
  }
  for (const email of [
    'bob@example.com',
    'ann@sub.example.com',
    'bob@notmünchen.example',
    'bob@example.uk',
    'carol@sub.example.net',
  ]) {
    assert.equal(denied(email), false, email);
  }
});

test('a spam trap is found by address and by the SHA-256 of it, without regard to case', () => {
  const hash = createHash('sha256').update('trap@xn--mnchen-3ya.example').digest('hex').toUpperCase();
  const { lists } = listsWith({ spamtraps: fileOf(`Honey.Pot@Example.com\n${hash}\n`) });
  const trapped = (email: string): boolean => lists.find(address(email)).spamtrap;
  for (const email of [
    'honey.pot@example.COM',
    '"honey.pot"@example.com',
    'TRAP@München.example',
    'trap@xn--mnchen-3ya.example',
  ]) {
    assert.equal(trapped(email), true, email);
  }
  for (const email of [
    'honeypot@example.com',
    'honey.pot@sub.example.com',
    'trap@example.com',
    'honey.pot+x@example.com',
  ]) {
    assert.equal(trapped(email), false, email);
  }
});

test('a bad line stops the start with one line that names list, file and line, and not the entry', () => {
  const path = fileOf('# ours\nsomebody.private@\n');
  assert.throws(
    () => listsWith({ deny: path }),
    (error: Error) =>
      error.message ===
      `deny list ${path}, line 2: is neither an address nor a domain nor a SHA-256 in hexadecimal`,
  );
  assert.throws(
    () => listsWith({ spamtraps: fileOf('example.com') }),
    /^Error: spam-trap list .*, line 1: holds a domain, and this list takes an address or a SHA-256/,
  );
  assert.throws(
    () => listsWith({ allow: fileOf('0'.repeat(64)) }),
    /^Error: allow list .*, line 1: holds a SHA-256/,
  );
});

test('a file that cannot be read stops the start', () => {
  const missing = join(folder, 'missing.txt');
  assert.throws(() => listsWith({ allow: missing }), {
    message: `allow list ${missing}: cannot be read (ENOENT)`,
  });
  assert.throws(() => listsWith({ allow: folder }), {
    message: `allow list ${folder}: cannot be read (EISDIR)`,
  });
});

test('a file that changed is read again, written in place or replaced by rename', () => {
  const path = fileOf('a.example\n');
  const { lists, problems, wait } = listsWith({ deny: path });
  const denied = (host: string): boolean => lists.find(address(`ann@${host}`)).denied;
  assert.equal(denied('a.example'), true);

  writeFileSync(path, 'b.example\n');
  assert.equal(denied('b.example'), false, 'looked at once a second at most');
  wait(1_000);
  assert.deepEqual([denied('a.example'), denied('b.example')], [false, true]);

  renameSync(fileOf('c.example\n'), path);
  wait(1_000);
  assert.deepEqual([denied('b.example'), denied('c.example')], [false, true]);
  assert.deepEqual(problems, []);
});

test('a change is seen on every list and by every question', () => {
  const [spamtraps, allow] = [fileOf(''), fileOf('')];
  const { lists, wait } = listsWith({ spamtraps, allow });
  writeFileSync(spamtraps, 'ann@mailinator.com\n');
  writeFileSync(allow, 'mailinator.com\n');
  wait(1_000);
  assert.equal(lists.isDisposableMailHost('mail.mailinator.com', address('ann@mailinator.com')), false);
  assert.deepEqual(lists.find(address('ann@mailinator.com')), { ...nothing, spamtrap: true });
});

test('a file that went bad is told once, in words that hold no entry, and the last good list stays', () => {
  const path = fileOf('a.example\n');
  const { lists, problems, wait } = listsWith({ deny: path });
  const denied = (): boolean => lists.find(address('ann@a.example')).denied;

  writeFileSync(path, 'b.example\nsomebody.private@\n');
  for (let look = 0; look < 5; look += 1) {
    wait(1_000);
    assert.equal(denied(), true);
  }
  assert.deepEqual(problems, [
    `deny list ${path}, line 2: is neither an address nor a domain nor a SHA-256 in hexadecimal; the list read before stays in force`,
  ]);

  rmSync(path);
  for (let look = 0; look < 5; look += 1) {
    wait(1_000);
    assert.equal(denied(), true);
  }
  assert.deepEqual(problems.slice(1), [
    `deny list ${path}: cannot be read (ENOENT); the list read before stays in force`,
  ]);

  writeFileSync(path, 'c.example\n');
  wait(1_000);
  assert.equal(denied(), false, 'a good file is in force again');
  assert.equal(problems.length, 2);
});

test('without watching, and after the start, a file is never looked at', () => {
  const path = fileOf('a.example\n');
  const { lists, problems, wait } = listsWith({ deny: path }, { watch: false });
  rmSync(path);
  wait(10_000);
  assert.equal(lists.find(address('ann@a.example')).denied, true);
  assert.deepEqual(problems, []);
});
