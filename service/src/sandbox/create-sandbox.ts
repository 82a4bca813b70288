import {
  createPolicyBook,
  defaultLimits,
  verify,
  type Address,
  type Clock,
  type Engine,
  type ListFindings,
  type MailRoute,
  type Patience,
  type VerifyParts,
} from '@mailproof/engine';
import { findAnswer, type SandboxAnswer } from './answers.ts';
import { evidenceFor, sandboxHost } from './mailbox-evidence.ts';
import { createSandboxTime } from './sandbox-time.ts';

/** How long the stages of a real verification take, roughly. */
const dnsMs = 30;
const smtpMs = 400;

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
  return {
    nearProvider: (address) => answerTo(address).lists?.nearProvider,
    verify: (email, patience) => {
      const time = createSandboxTime(clock, delays);
      return verify(
        email,
        {
          ...parts,
          clock: time.clock,
          lists: {
            find: (address) => findingsOf(answerTo(address)),
            isDisposableMailHost: () => false,
            isParkedMailHost: () => false,
            close: () => undefined,
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
  return {
    disposable: lists?.disposable ?? false,
    role: lists?.role ?? false,
    free: lists?.free ?? false,
    spamtrap: lists?.spamtrap ?? false,
    denied: false,
    ...(lists?.nearProvider === undefined ? {} : { nearProvider: lists.nearProvider }),
  };
}

const throughSandboxHost: MailRoute = {
  kind: 'takes_mail',
  implicit: false,
  mxRecords: [sandboxHost],
  // An address of the documentation block (RFC 5737); nobody dials it.
  first: { name: sandboxHost, addresses: ['192.0.2.1'] },
  further: [],
};

function routeOf({ domain }: SandboxAnswer): MailRoute {
  if (domain === undefined) return throughSandboxHost;
  if (domain === 'dns_fails') return { kind: 'undetermined', failure: 'servfail' };
  return { kind: 'refuses_mail', why: domain };
}
