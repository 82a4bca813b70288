import {
  createPolicyBook,
  defaultLimits,
  verify,
  type Address,
  type Asker,
  type Clock,
  type Engine,
  type ListFindings,
  type MailRoute,
  type Patience,
  type VerifyParts,
} from '@mailproof/engine';
import { createCellRates } from '../../process/cell-rates.ts';
import { findAnswer, type SandboxAnswer } from './answers.ts';
import { evidenceFor, sandboxHost } from './mailbox-evidence.ts';
import { createSandboxTime } from './sandbox-time.ts';

/** How long the stages of a real verification take, roughly. */
const dnsMs = 30;
const smtpMs = 400;

/**
 * Singles of test keys cost nobody anything but the processor, which is everybody's. So the made-up mail hosts take those
 * of one account only so fast, as a real host would; whoever asks for more waits for its own.
 */
export const sandboxLimitTable = {
  singlesPerSecond: {
    value: 200,
    meaning:
      'single verifications that the test keys of one account have begun in a second; further ones wait',
  },
  singlesAtOnce: { value: 200, meaning: 'of these, after a time without any, at once' },
  singleWaitMs: { value: 2_000, meaning: 'such a wait; what was given up meanwhile does not make it longer' },
} as const;

const rate = {
  intervalMs: 1_000 / sandboxLimitTable.singlesPerSecond.value,
  atOnce: sandboxLimitTable.singlesAtOnce.value,
};
const mostWaitMs = sandboxLimitTable.singleWaitMs.value;
const accountsKnown = 10_000;

export type Sandbox = Pick<Engine, 'verify' | 'nearProvider'>;

/**
 * The engine behind test keys: the same stages, judge and explanations, with a made-up world in place of
 * the lists, DNS and mail hosts. It answers by the local part, at any domain, and sends no packet.
 */
export function createSandbox({ delays, clock }: { delays: boolean; clock: Clock }): Sandbox {
  const parts = {
    limits: defaultLimits,
    policies: createPolicyBook({ pacing: 'off' }),
    controls: { askAt: (_group, ask) => ask() } satisfies VerifyParts['controls'],
    resolver: { text: () => noData },
  };
  const rates = createCellRates({ clock, mostNames: accountsKnown });

  /** How long a verification has to wait before it begins. Workers begin those of tasks, as many as they have room for. */
  function waitFor({ urgency, account }: Asker): number {
    if (!delays || urgency === 'bulk') return 0;
    const now = clock.now();
    const { waitMs } = rates.look(account, rate, now);
    if (waitMs < mostWaitMs) rates.take(account, rate, now);
    return Math.min(Math.max(0, waitMs), mostWaitMs);
  }

  return {
    nearProvider: (address) => answerTo(address).lists?.nearProvider,
    verify: async (email, patience) => {
      const time = createSandboxTime(clock, delays);
      const waitMs = patience.asker === undefined ? 0 : waitFor(patience.asker);
      if (waitMs > 0) await time.pass(waitMs, patience);
      return verify(
        email,
        {
          ...parts,
          clock: time.clock,
          lists: {
            find: (address) => findingsOf(answerTo(address)),
            isDisposableMailHost: () => false,
            isParkedMailHost: () => false,
            hasOptedOut: () => false,
          },
          mailRoutes: {
            find: async (address, until) => {
              await time.pass(dnsMs, until);
              return routeOf(answerTo(address));
            },
            recall: () => undefined,
          },
          prober: {
            ask: async ({ address }, until) => {
              const { mailbox } = answerTo(address);
              await time.pass(
                mailbox?.kind === 'silent_past_the_deadline' ? remaining(time.clock, until) : smtpMs,
                until,
              );
              return evidenceFor(mailbox);
            },
          },
        },
        patience,
      );
    },
  };
}

const noData = Promise.resolve({ kind: 'no_data' } as const);

function answerTo(address: Address): SandboxAnswer {
  return findAnswer(address.localPart);
}

function remaining(clock: Clock, { deadline }: Patience): number {
  return Math.max(0, deadline - clock.now());
}

function findingsOf({ lists }: SandboxAnswer): ListFindings {
  return { ...unlisted, ...lists };
}

const unlisted: ListFindings = {
  disposable: false,
  role: false,
  free: false,
  spamtrap: false,
  denied: false,
};

const throughSandboxHost: MailRoute = {
  kind: 'takes_mail',
  implicit: false,
  mxRecords: [sandboxHost],
  preferred: 1,
  // An address of the documentation block (RFC 5737); nobody dials it.
  first: { name: sandboxHost, addresses: ['192.0.2.1'] },
  further: [],
};

function routeOf({ domain }: SandboxAnswer): MailRoute {
  if (domain === undefined) return throughSandboxHost;
  if (domain === 'dns_fails') return { kind: 'undetermined', failure: 'servfail' };
  return { kind: 'refuses_mail', why: domain };
}
