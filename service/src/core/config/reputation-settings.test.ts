import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSettings } from '../../../test/support/setting-promises.ts';
import { describeConfig } from '../../start/config.ts';
import { reputationSettings } from './reputation-settings.ts';

describeSettings(reputationSettings, {
  blockLists: {
    usual: ['zen.spamhaus.org', 'bl.spamcop.net', 'b.barracudacentral.org'],
    good: [
      ['none', []],
      ['BL.example.org', ['bl.example.org']],
    ],
    bad: ['bl.example.org,', '192.0.2.1', 'two words'],
  },
});

test('the key of a paid zone is not shown', () => {
  const described = describeConfig({ MAILPROOF_BLOCK_LISTS: 's3cret.zen.dq.spamhaus.net,bl.example.org' });
  const shown = described.find(({ name }) => name === 'MAILPROOF_BLOCK_LISTS');
  assert.ok(JSON.stringify(shown).includes('***.zen.dq.spamhaus.net'), JSON.stringify(shown));
  assert.ok(!JSON.stringify(shown).includes('s3cret'));
});
