import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MailRoute } from './dns/mail-route.ts';
import type { CatchAllAnswer, Evidence, MailboxEvidence } from './evidence.ts';
import type { ListFindings } from './lists/load-lists.ts';
import type { ReplyLabel } from './replies/meaning.ts';
import type { Address, CanonicalHost } from './syntax/address.ts';
import { conclusiveStatuses, judge, type VerdictStatus } from './verdict.ts';

const host = 'plain.test' as CanonicalHost;
const mailHost = 'mx.plain.test' as CanonicalHost;
const address: Address = {
  email: 'Alive@Plain.test',
  username: 'Alive',
  domain: 'plain.test',
  host,
  localPart: 'Alive',
  needsSmtputf8: false,
};
const unlisted: ListFindings = {
  disposable: false,
  role: false,
  free: false,
  spamtrap: false,
  denied: false,
};
const takesMail: MailRoute = {
  kind: 'takes_mail',
  implicit: false,
  mxRecords: [mailHost],
  preferred: 1,
  first: { name: mailHost, addresses: ['127.0.0.1'] },
  further: [],
};
const refusesRandomProbes: CatchAllAnswer = { kind: 'no', from: 'random_probe' };

function answered(label: ReplyLabel, catchAll: CatchAllAnswer = refusesRandomProbes): MailboxEvidence {
  return { kind: 'answered', host: mailHost, replies: [], meaning: { label, reason: 'seen' }, catchAll };
}
function evidence(parts: Partial<Evidence>): Evidence {
  return { address, lists: unlisted, route: takesMail, ...parts };
}
function listed(findings: Partial<ListFindings>): Partial<Evidence> {
  return { lists: { ...unlisted, ...findings } };
}

const common = {
  email: 'Alive@Plain.test',
  username: 'Alive',
  domain: 'plain.test',
  is_valid_syntax: true,
  is_disposable: false,
  is_role_account: false,
  is_free_email: false,
  verification_mode: 'power',
};
const routed = { mx_accepts_mail: true, mx_records: ['mx.plain.test'] };
const mailbox = {
  can_connect_smtp: true,
  has_inbox_full: false,
  is_catch_all: false,
  is_disabled: false,
  is_spamtrap: false,
};

describe('every row of the verdict table', () => {
  for (const why of ['no_such_domain', 'null_mx', 'no_mail_host', 'no_mail_host_resolves'] as const) {
    test(`row 1: a domain that cannot receive mail (${why}) is invalid, and every signal is false`, () => {
      assert.deepEqual(judge(evidence({ route: { kind: 'refuses_mail', why } })), {
        ...common,
        ...mailbox,
        status: 'invalid',
        overall_score: 0,
        is_safe_to_send: false,
        is_deliverable: false,
        can_connect_smtp: false,
        mx_accepts_mail: false,
        mx_records: [],
      });
    });
  }

  test('row 2: a spam trap is told without any mailbox signal', () => {
    assert.deepEqual(judge(evidence(listed({ spamtrap: true, disposable: true }))), {
      ...common,
      ...routed,
      is_disposable: true,
      status: 'spamtrap',
      overall_score: 0,
      is_safe_to_send: false,
      is_spamtrap: true,
    });
  });

  test('row 3: a disposable domain is told without any mailbox signal', () => {
    assert.deepEqual(judge(evidence(listed({ disposable: true }))), {
      ...common,
      ...routed,
      is_disposable: true,
      status: 'disposable',
      overall_score: 10,
      is_safe_to_send: false,
      is_spamtrap: false,
    });
  });

  const refusals = [
    { row: 4, label: 'mailbox_not_exist', status: 'invalid', score: 0, signal: {} },
    { row: 5, label: 'mailbox_disabled', status: 'disabled', score: 5, signal: { is_disabled: true } },
    { row: 6, label: 'mailbox_full', status: 'inbox_full', score: 20, signal: { has_inbox_full: true } },
  ] as const;
  for (const { row, label, status, score, signal } of refusals) {
    test(`row ${row}: ${label} is ${status}`, () => {
      assert.deepEqual(judge(evidence({ mailbox: answered(label) })), {
        ...common,
        ...routed,
        ...mailbox,
        ...signal,
        status,
        overall_score: score,
        is_safe_to_send: false,
        is_deliverable: false,
      });
    });
  }

  test('row 7: a host that takes a made-up address too is a catch-all, deliverable but not safe', () => {
    const verdict = judge(evidence({ mailbox: answered('accepted', { kind: 'yes', from: 'random_probe' }) }));
    assert.deepEqual(verdict, {
      ...common,
      ...routed,
      ...mailbox,
      status: 'catch_all',
      overall_score: 50,
      is_catch_all: true,
      is_safe_to_send: false,
      is_deliverable: true,
    });
  });

  test('row 8: an accepted role is a role account', () => {
    const verdict = judge(evidence({ ...listed({ role: true }), mailbox: answered('accepted') }));
    assert.deepEqual(verdict, {
      ...common,
      ...routed,
      ...mailbox,
      is_role_account: true,
      status: 'role_account',
      overall_score: 81,
      is_safe_to_send: true,
      is_deliverable: true,
    });
  });

  test('row 8: a role that gets no bulk mail is not safe to send, with a low score', () => {
    const lists = listed({ role: true, notForBulk: true });
    assert.deepEqual(judge(evidence({ ...lists, mailbox: answered('accepted') })), {
      ...common,
      ...routed,
      ...mailbox,
      is_role_account: true,
      status: 'role_account',
      overall_score: 31,
      is_safe_to_send: false,
      is_deliverable: true,
    });
  });

  for (const free of [false, true]) {
    test(`row 9: accepted and no made-up address taken is safe, ${free ? 'at a free provider too' : 'elsewhere'}`, () => {
      assert.deepEqual(judge(evidence({ ...listed({ free }), mailbox: answered('accepted') })), {
        ...common,
        ...routed,
        ...mailbox,
        is_free_email: free,
        status: 'safe',
        overall_score: 96,
        is_safe_to_send: true,
        is_deliverable: true,
      });
    });
  }

  const inconclusive: [string, MailboxEvidence][] = [
    ['a deferral', answered('greylisted_or_temporary')],
    ['a complaint about us', answered('blocked_or_policy')],
    ['a reply that says nothing', answered('other')],
    [
      'an accepted mailbox whose catch-all is undetermined',
      answered('accepted', { kind: 'undetermined', meaning: undefined }),
    ],
    [
      'no answer',
      {
        kind: 'no_answer',
        reason: 'mx_unreachable',
        meaning: undefined,
        connected: false,
        host: undefined,
        replies: [],
      },
    ],
  ];
  for (const [what, mailboxEvidence] of inconclusive) {
    test(`row 10: ${what} is unknown, with exactly the fields unknown carries`, () => {
      assert.deepEqual(judge(evidence({ mailbox: mailboxEvidence })), {
        ...common,
        ...routed,
        status: 'unknown',
      });
    });
  }
});

test('proof outranks suspicion: a trap or throw-away domain that takes no mail is invalid', () => {
  const dead: MailRoute = { kind: 'refuses_mail', why: 'null_mx' };
  assert.equal(judge(evidence({ ...listed({ spamtrap: true }), route: dead })).status, 'invalid');
  assert.equal(judge(evidence({ ...listed({ disposable: true }), route: dead })).status, 'invalid');
});

test('a field without evidence is absent: nothing is said of a mail route that was not looked up', () => {
  const verdict = judge({ address, lists: { ...unlisted, denied: true } });
  assert.deepEqual(verdict, { ...common, status: 'unknown' });
});

test('every status but unknown is conclusive', () => {
  const all: Record<VerdictStatus, boolean> = {
    safe: true,
    invalid: true,
    disabled: true,
    disposable: true,
    inbox_full: true,
    catch_all: true,
    role_account: true,
    spamtrap: true,
    unknown: false,
  };
  for (const [status, conclusive] of Object.entries(all)) {
    assert.equal(conclusiveStatuses.has(status as VerdictStatus), conclusive, status);
  }
});
