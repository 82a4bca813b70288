import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyReply, createReplyClassifier } from './classify-reply.ts';
import type { ReplyToClassify } from '../meaning.ts';
import { allRules } from '../rules/all-rules.ts';
import { samplesOf } from '../rules/rule.ts';

/** The words of every sample, each as many replies: with other codes, from other providers, quoted by a gateway. */
const texts = allRules.flatMap((rule) =>
  samplesOf(rule).flatMap((sample) => [
    sample.replace(/^\d{3} (?:\d\.\d{1,3}\.\d{1,3} )?/u, ''),
    `host mx.example said: ${sample}`,
  ]),
);
const providers = [undefined, ...new Set(allRules.flatMap(({ when }) => when.providers ?? []))];
const heads = [
  { code: 450, enhanced: undefined },
  { code: 452, enhanced: '4.2.2' },
  { code: 550, enhanced: undefined },
  { code: 550, enhanced: '5.1.1' },
  { code: 552, enhanced: undefined },
  { code: 554, enhanced: '5.7.1' },
];
const replies: ReplyToClassify[] = texts.flatMap((text) =>
  heads.flatMap((head) => providers.map((provider) => ({ ...head, text, provider }))),
);

test('a remembered meaning is the one of the rules, whatever was asked before', () => {
  const expected = replies.map((reply) => classifyReply(reply));
  for (const most of [50, 1_000_000]) {
    const classify = createReplyClassifier(most);
    assert.deepEqual(
      replies.map((reply) => classify(reply)),
      expected,
    );
    assert.deepEqual(
      replies.toReversed().map((reply) => classify(reply)),
      expected.toReversed(),
    );
  }
});

test('words that were heard of one recipient mean of another what the rules say of that one', () => {
  const sender = 'verify@probe.example';
  const heloName = 'mx.probe.example';
  const recipients = [
    'nobody@example.com',
    'someone.else@mail.example.org',
    'mx.probe.example@example.com',
    'nobody@probe.example',
    '"nobody said: 550"@example.com',
    'nö@example.com',
  ];
  const forms = [
    '<?>',
    '?',
    '(?)',
    '?:',
    'for ?.',
    `?, ${sender}`,
    `<?> ${heloName}`,
    'said: 550 5.1.1 <?>:',
    'x?',
    `${sender} example.com`,
  ];
  const classify = createReplyClassifier(1_000_000);
  const samples = texts.filter((_, index) => index % 40 === 0);
  for (const form of forms)
    for (const text of samples)
      for (const recipient of recipients) {
        const named = `${form.replace('?', recipient)} ${text.replace('nobody@example.com', recipient)}`;
        const reply = { code: 550, enhanced: '5.1.1', text: named, provider: undefined };
        const parties = { sender, heloName, egressAddress: '198.51.100.7', recipient };
        assert.deepEqual(classify(reply, parties), classifyReply(reply, parties), named);
      }
});

test('a 2xx is accepted, whatever its words', () => {
  const classify = createReplyClassifier(10);
  const reply = { code: 250, enhanced: undefined, text: 'user unknown', provider: undefined };
  assert.deepEqual(classify(reply), { label: 'accepted', reason: 'accepted' });
});

test('the answer is the caller’s own: changing it changes no other’s', () => {
  const classify = createReplyClassifier(10);
  const reply = { code: 550, enhanced: '5.1.1', text: 'user unknown', provider: undefined };
  const expected = classifyReply(reply);
  for (let round = 0; round < 3; round += 1) {
    const meaning = classify(reply);
    assert.deepEqual(meaning, expected);
    meaning.reason = 'changed';
  }
});
