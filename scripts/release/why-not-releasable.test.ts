import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNotReleasable } from './why-not-releasable.ts';

const good = {
  version: '1.2.0',
  changes: '',
  changelog: '# Changelog\n\n## 1.2.0 (May)\n\n- New\n\n## 1.1.0\n\n- Old\n',
  kept: ['1.1.0+abcdef0'],
  commit: 'a'.repeat(40),
  tagged: '',
};

test('a release comes from a clean tree', () => {
  assert.equal(whyNotReleasable(good), undefined);
  const changes = ' M a.ts\n?? b.ts\n?? c.ts\n?? d.ts\n';
  assert.match(whyNotReleasable({ ...good, changes }) ?? '', /not clean \(a\.ts, b\.ts, c\.ts, …\)/);
});

test('a release has its section in the changelog', () => {
  assert.equal(whyNotReleasable({ ...good, version: '1.1.0' }), undefined);
  for (const version of ['1.2.1', '1.2', '1.1.0-rc.1'])
    assert.match(whyNotReleasable({ ...good, version }) ?? '', new RegExp(`no section "## ${version}"`));
});

test('a section that says nothing is none', () => {
  for (const empty of ['## 1.2.0\n\n \n## 1.1.0\n\n- Old\n', '## 1.1.0\n\n- Old\n\n## 1.2.0'])
    assert.match(whyNotReleasable({ ...good, changelog: empty }) ?? '', /section "## 1\.2\.0" .* is empty/);
});

test('every release before is kept, so that the upgrade from it was tried', () => {
  assert.match(whyNotReleasable({ ...good, kept: [] }) ?? '', /release 1\.1\.0 is not kept/);
  assert.match(whyNotReleasable({ ...good, kept: ['1.1.0-rc.1+abcdef0'] }) ?? '', /is not kept/);
  assert.equal(whyNotReleasable({ ...good, version: '1.1.0', kept: [] }), undefined);
});

test('a version is the tag of one commit: another one needs the next version', () => {
  assert.equal(whyNotReleasable({ ...good, tagged: good.commit }), undefined);
  const tagged = 'b'.repeat(40);
  assert.match(whyNotReleasable({ ...good, tagged }) ?? '', /v1\.2\.0 is the tag of commit bbbbbbb: /);
});
