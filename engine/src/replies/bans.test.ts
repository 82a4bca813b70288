import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { providerTable } from './providers.ts';
import { banIn, banRules } from './bans.ts';

function replyOf(sample: string) {
  const [, code = '', enhanced, text = ''] = /^(\d{3}) (?:([45]\.\d+\.\d+) )?(.*)$/.exec(sample) ?? [];
  return { code: Number(code), enhanced, lines: [text] };
}

describe('a ban is known by the reply that taught it', () => {
  for (const { providers, samples, page } of banRules)
    for (const sample of samples)
      test(sample, () => {
        for (const provider of providers) assert.equal(banIn(replyOf(sample), provider)?.page, page);
        const others = providerTable.map(({ id }) => id).filter((id) => !providers.includes(id));
        for (const other of [...others, 'example.com'])
          assert.equal(banIn(replyOf(sample), other), undefined, `${other} may not say so`);
      });

  test('of a provider in the table', () => {
    const ids = new Set<string>(providerTable.map(({ id }) => id));
    for (const { providers } of banRules) for (const id of providers) assert.ok(ids.has(id), id);
  });

  for (const [sample, provider] of [
    [
      '451 4.7.650 The mail server [192.0.2.7] has been temporarily rate limited due to IP reputation',
      'outlook',
    ],
    ['421 4.7.0 [TSS04] Messages from 192.0.2.7 temporarily deferred due to unexpected volume', 'yahoo'],
    ['550 5.7.1 Service unavailable, Client host [192.0.2.7] blocked using Spamhaus (AS3130)', 'outlook'],
    ['550 5.4.1 Recipient address rejected: Access denied', 'microsoft'],
    ['250 2.1.5 Recipient OK (S3140)', 'outlook'],
  ] as const)
    test(`none, because it passes or is another provider's: ${sample}`, () => {
      assert.equal(banIn(replyOf(sample), provider), undefined);
    });
});
