import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { domainFamily, isKnownSuffix, isPublicSuffix } from '../engine/src/lists/domain-family.ts';
import { canonicalHost } from '../engine/src/syntax/canonical-host.ts';
import { unpackVerified } from '../cli/src/domain-lists/fetch-package.ts';
import {
  dropRules,
  type Guards,
  inByteOrder,
  mergeDisposable,
  type NamedList,
  readByHand,
} from '../cli/src/domain-lists/merge-disposable.ts';
import { disposableSources, freeSources } from '../cli/src/domain-lists/packages.ts';

function committed(file: string): string {
  return readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
}

function dataNames(file: string): string[] {
  const text = committed(`engine/src/lists/data/${file}`);
  assert.ok(text.endsWith('\n') && !text.includes('\r'), file);
  return text.slice(0, -1).split('\n');
}

const disposable = dataNames('disposable-domains.txt');
const mailHosts = dataNames('disposable-mail-hosts.txt');
const free = dataNames('free-providers.txt');
const roles = dataNames('role-names.txt');
const relays = readByHand('privacy-relays.txt');
const providers = readByHand('providers.txt');

test('every data file is sorted by bytes and holds nothing twice', () => {
  for (const names of [disposable, mailHosts, free, roles]) {
    assert.deepEqual(names, inByteOrder(new Set(names)));
  }
});

test('every listed domain is in canonical form, under a known suffix, and no public suffix', () => {
  for (const name of [...disposable, ...mailHosts, ...free, ...relays]) {
    assert.equal(canonicalHost(name), name);
    assert.equal(isKnownSuffix(name), true, name);
  }
  const suffixes = [...disposable, ...mailHosts, ...free].filter(isPublicSuffix);
  assert.deepEqual(suffixes, []);
});

test('no privacy relay, no provider and no reserved name is disposable, nor anything below one, nor a parent of one', () => {
  const spared = new Set([...relays, ...providers, ...free, 'example.com', 'example.net', 'example.org']);
  const listed = new Set([...disposable, ...mailHosts]);
  assert.deepEqual(
    [...listed].filter((name) => domainFamily(name).some((parent) => spared.has(parent))),
    [],
  );
  assert.deepEqual(
    [...spared].filter((name) => domainFamily(name).some((parent) => listed.has(parent))),
    [],
  );
});

test('no disposable name is below another one', () => {
  const listed = new Set(disposable);
  assert.deepEqual(
    disposable.filter((name) =>
      domainFamily(name)
        .slice(1)
        .some((parent) => listed.has(parent)),
    ),
    [],
  );
});

test('the services everybody knows are on the list', () => {
  const known =
    '10minutemail.com guerrillamail.com mailinator.com yopmail.com temp-mail.org trashmail.com maildrop.cc sharklasers.com getnada.com mailnesia.com emailondeck.com tempmail.plus discard.email spam4.me mohmal.com moakt.com';
  assert.deepEqual(
    known.split(' ').filter((name) => !disposable.includes(name)),
    [],
  );
});

test('the lists written by hand are what the engine carries', () => {
  assert.deepEqual(mailHosts, readByHand('disposable-mail-hosts.txt'));
  assert.deepEqual(dataNames('privacy-relays.txt'), relays);
  assert.deepEqual(dataNames('roles-not-for-bulk.txt'), readByHand('roles-not-for-bulk.txt'));
  assert.deepEqual(roles, readByHand('role-names.txt'));
  assert.deepEqual(
    free,
    providers.filter(
      (name) =>
        !domainFamily(name)
          .slice(1)
          .some((parent) => providers.includes(parent)),
    ),
  );
});

test('a role name is lower-case words joined by single hyphens, two letters at least', () => {
  const isWords = (name: string): boolean =>
    /^\p{Ll}+(?:-\p{Ll}+)*$|^[\p{Lo}\p{Lm}]+$/u.test(name) && name.length > 1;
  assert.deepEqual(
    roles.filter((name) => !isWords(name)),
    [],
  );
});

test('what nobody should write to in bulk is a role', () => {
  const notForBulk = new Set(dataNames('roles-not-for-bulk.txt'));
  assert.deepEqual([...notForBulk.difference(new Set(roles))], []);
});

test('docs/lists.md tells the counts of the committed files, and they add up', () => {
  const page = committed('docs/lists.md');
  const entries = (list: string): number => figure(page, new RegExp(`^\\| ${list} +\\| +(\\d+) `, 'm'));
  assert.equal(entries('disposable domains'), disposable.length);
  assert.equal(entries('disposable mail hosts'), mailHosts.length);
  assert.equal(entries('free providers'), free.length);
  assert.equal(entries('role names'), roles.length);
  assert.equal(entries('roles that must not receive bulk mail'), dataNames('roles-not-for-bulk.txt').length);
  assert.equal(entries('privacy relays'), relays.length);

  const row = (meaning: string): number =>
    figure(page, new RegExp(`^\\| ${RegExp.escape(meaning)} +\\| +(\\d+) `, 'm'));
  const dropped = Object.values(dropRules).map(row);
  const kept = row('all sources together, each name once') - dropped.reduce((sum, count) => sum + count, 0);
  assert.equal(kept, disposable.length);
});

function figure(page: string, pattern: RegExp): number {
  const found = pattern.exec(page)?.[1];
  assert.ok(found, String(pattern));
  return Number(found);
}

test('docs/lists.md and the notice name every package that went in, with version and licence', () => {
  const [page, notice] = [committed('docs/lists.md'), committed('engine/src/lists/data/NOTICE.md')];
  for (const { name, version, licence } of [...disposableSources, ...freeSources]) {
    assert.match(page, new RegExp(`^\\| \`${name}\` ${RegExp.escape(version)} +\\| ${licence} `, 'm'));
  }
  for (const { name, version, licence } of disposableSources) {
    assert.ok(notice.includes(`## ${name} ${version} (${licence})\n\n    `), name);
  }
});

test('nothing is built from a package that is installed or not pinned', () => {
  for (const { name, version, integrity } of [...disposableSources, ...freeSources]) {
    assert.equal(existsSync(new URL(`../node_modules/${name}`, import.meta.url)), false, name);
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/);
  }
});

const noGuards: Guards = { providers: new Set(), relays: new Set(), calledFree: new Set() };

function list(evidence: NamedList['evidence'], ...names: string[]): NamedList {
  return { name: evidence, evidence, names };
}

test('a name needs a proof, or a claim and a second', () => {
  const proved = 'proved.com';
  const merged = mergeDisposable(
    [
      list('proves', proved),
      list('claims', 'claimed.com', 'agreed.com'),
      list('seconds', 'seconded.com', 'agreed.com'),
      list('seconds', 'seconded.com'),
    ],
    noGuards,
  );
  assert.deepEqual(merged.names, ['agreed.com', proved]);
  assert.equal(merged.dropped.one_weak_source, 2);
});

test('proof does not make a suffix, a relay, a provider, a reserved or a broken name disposable', () => {
  const guards = { ...noGuards, providers: new Set(['provider.com']), relays: new Set(['relay.net']) };
  const names = [
    'co.uk',
    'github.io',
    'relay.net',
    'ann.relay.net',
    'provider.com',
    'mail.provider.com',
    'example.com',
    'a.test',
    'no_host.com',
    '-x.com',
    'dotless',
    'kept.com',
    'x.github.io',
  ];
  const merged = mergeDisposable([list('proves', ...names)], guards);
  assert.deepEqual(merged.names, ['kept.com', 'x.github.io']);
  assert.deepEqual(merged.dropped, {
    not_canonical: 3,
    reserved: 2,
    public_suffix: 2,
    privacy_relay: 2,
    real_provider: 2,
    one_weak_source: 0,
    called_free: 0,
    covered: 0,
  });
});

test('a list of free providers casts doubt on a claim and not on a proof', () => {
  const guards = { ...noGuards, calledFree: new Set(['doubted.com', 'proved.com']) };
  const lists = [
    list('proves', 'proved.com'),
    list('claims', 'doubted.com', 'proved.com'),
    list('seconds', 'doubted.com'),
  ];
  const merged = mergeDisposable(lists, guards);
  assert.deepEqual(merged.names, ['proved.com']);
  assert.equal(merged.dropped.called_free, 1);
});

test('spelling does not make two names of one, and a name below a listed one is not listed again', () => {
  const merged = mergeDisposable(
    [
      list(
        'proves',
        'München.de',
        'xn--mnchen-3ya.de',
        'A.example.de',
        'EXAMPLE.de',
        'x.github.io',
        'a.x.github.io',
      ),
    ],
    noGuards,
  );
  assert.deepEqual(merged.names, ['example.de', 'x.github.io', 'xn--mnchen-3ya.de']);
  assert.equal(merged.distinct, 5);
  assert.equal(merged.dropped.covered, 2);
});

test('a source that names a domain twice seconds nobody, itself least of all', () => {
  const merged = mergeDisposable([list('claims', 'once.com', 'ONCE.com')], noGuards);
  assert.deepEqual(merged.names, []);
});

/** One file of a tar archive: header block, then the content padded to whole blocks (POSIX ustar). */
function tarEntry(name: string, content: string, type = '0'): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(content.length.toString(8).padStart(11, '0'), 124);
  header.write(type, 156);
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

const archive = gzipSync(
  Buffer.concat([
    tarEntry('package/a.txt', 'x'.repeat(700)),
    tarEntry('package/link', '', '2'),
    tarEntry('package/b.txt', 'b'),
    Buffer.alloc(1024),
  ]),
);
const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;

test('an archive with the pinned digest is unpacked, plain files only', () => {
  const files = unpackVerified(archive, { name: 'a', version: '1.0.0', integrity });
  assert.deepEqual(
    [...files].map(([name, content]) => [name, content.length]),
    [
      ['package/a.txt', 700],
      ['package/b.txt', 1],
    ],
  );
});

test('an archive with any other digest is refused before it is unpacked', () => {
  const changed = Buffer.from(archive);
  changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
  assert.throws(
    () => unpackVerified(changed, { name: 'a', version: '1.0.0', integrity }),
    /^Error: a@1\.0\.0: archive is sha512-.*, pinned is sha512-/,
  );
});

test('names are taken out of the data and nothing else of a package is read as one', () => {
  const names = (name: string, text: string): string[] =>
    disposableSources.find((source) => source.name === name)?.names(text) ?? [];
  assert.deepEqual(names('mailchecker', 'var a = new Set(["a.com","b.com"]); new Set(["c.com"])'), [
    'a.com',
    'b.com',
  ]);
  assert.throws(() => names('mailchecker', 'var a = []'), /no list of names/);
  const seen = { domains: { 'it.com': { providers: ['x.org'], hosts: { 'a.it.com': {} } } } };
  assert.deepEqual(names('fakefilter', JSON.stringify(seen)), ['a.it.com']);
  assert.deepEqual(names('burner-email-providers', 'a.com\r\n\n b.com\n'), ['a.com', 'b.com']);
  assert.throws(() => names('disposable-domains', '{}'), /array of names/);
});
