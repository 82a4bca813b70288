import type { ListFindings, ReadReply } from '@mailproof/engine';

/**
 * The sandbox's answers by local part. Each row is the world as the engine would find it: list entries, the mail
 * route, the replies of a mail host. The verdict is not here: the engine judges these rows like the real world, so
 * the sandbox cannot give an answer that the real engine would not.
 */
export type SandboxAnswer = {
  /** The text of the row in the table of docs/sandbox.md. */
  outcome: string;
  lists?: Partial<ListFindings>;
  /** The domain's mail route; default: a mail host. */
  domain?: 'no_such_domain' | 'null_mx' | 'dns_fails';
  /** The mail host's reply for the mailbox; default: it accepts. */
  mailbox?: SandboxMailbox;
};

export type SandboxMailbox =
  | { kind: 'replies'; reply: Pick<ReadReply, 'code' | 'enhanced' | 'text'> }
  | { kind: 'takes_every_address' }
  | { kind: 'cannot_be_reached' }
  | { kind: 'silent_past_the_deadline' }
  | { kind: 'breaks_us' };

const replies = (code: number, enhanced: string, text: string): SandboxMailbox => ({
  kind: 'replies',
  reply: { code, enhanced, text },
});

export const sandboxAnswers = {
  safe: { outcome: '200 `safe`, score 96' },
  free: { outcome: '200 `safe` at a free provider, score 96', lists: { free: true } },
  invalid: {
    outcome: '200 `invalid`: the mailbox does not exist',
    mailbox: replies(550, '5.1.1', 'The email account that you tried to reach does not exist'),
  },
  no_such_domain: { outcome: '200 `invalid`: the domain does not exist', domain: 'no_such_domain' },
  typo: {
    outcome: '200 `invalid`: the domain does not exist; `did_you_mean` is `gmail.com` (explain)',
    domain: 'no_such_domain',
    lists: { nearProvider: 'gmail.com' },
  },
  null_mx: { outcome: '200 `invalid`: the domain accepts no mail', domain: 'null_mx' },
  disabled: {
    outcome: '200 `disabled`',
    mailbox: replies(550, '5.2.1', 'The email account that you tried to reach is disabled'),
  },
  disposable: { outcome: '200 `disposable`: no mail server is asked', lists: { disposable: true } },
  inbox_full: {
    outcome: '200 `inbox_full`',
    mailbox: replies(552, '5.2.2', 'The email account that you tried to reach is over quota'),
  },
  catch_all: { outcome: '200 `catch_all`', mailbox: { kind: 'takes_every_address' } },
  role_account: { outcome: '200 `role_account`', lists: { role: true } },
  abuse: {
    outcome: '200 `role_account` that must not receive bulk mail, score 31, not safe to send',
    lists: { role: true, notForBulk: true },
  },
  relay: { outcome: '200 `safe` at a privacy relay: `is_relay` (explain)', lists: { relay: true } },
  machine: { outcome: '200 `safe`, made by a program: `is_machine` (explain)', lists: { machine: true } },
  spamtrap: { outcome: '200 `spamtrap`: no mail server is asked', lists: { spamtrap: true } },
  unknown: {
    outcome: '200 `unknown`: the mail server says nothing about the mailbox',
    mailbox: replies(554, '5.0.0', 'Transaction failed'),
  },
  unreachable: {
    outcome: '200 `unknown`: no mail server can be reached (bulk asks once more)',
    mailbox: { kind: 'cannot_be_reached' },
  },
  greylisted: {
    outcome: '200 `unknown`: the mail server asks us to come back later (bulk does until its deadline)',
    mailbox: replies(451, '4.7.1', 'Greylisting in action, please come back later'),
  },
  blocked: {
    outcome: '200 `unknown`: the mail server rejects us, not the mailbox',
    mailbox: replies(554, '5.7.1', 'Service unavailable; client host blocked using a block list'),
  },
  unavailable: { outcome: '502 `verification_unavailable` (bulk: `unknown`)', domain: 'dns_fails' },
  timeout: {
    outcome: '504 `verification_timeout` (bulk: `unknown`)',
    mailbox: { kind: 'silent_past_the_deadline' },
  },
  failed: { outcome: '500 `verification_failed` (bulk: `unknown`)', mailbox: { kind: 'breaks_us' } },
} as const satisfies Record<string, SandboxAnswer>;

const byName: ReadonlyMap<string, SandboxAnswer> = new Map(Object.entries(sandboxAnswers));

/** Finds the row for a local part: by its own name, or by the tag after the last plus sign, or else `safe`. */
export function findAnswer(localPart: string): SandboxAnswer {
  const name = localPart.toLowerCase();
  const tag = name.slice(name.lastIndexOf('+') + 1);
  return byName.get(name) ?? byName.get(tag) ?? sandboxAnswers.safe;
}
