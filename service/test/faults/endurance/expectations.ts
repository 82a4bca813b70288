import type { OpenedAccount } from '../../support/open-fixture.ts';
import { ends } from './load-world.ts';

/**
 * What the driver was told and holds the service to, over any number of restarts. What it was not told (the answer was lost
 * when the plug was pulled) may have happened or not, and counts as perhaps.
 */
export type Expectations = {
  /** Sends an `Idempotency-Key` with everything and asks again until it is told, so its books are known to the credit. */
  careful: WatchedAccount;
  /** Sends none, so what was lost leaves a margin. */
  careless: WatchedAccount;
  keyed: KeyedRequest[];
  tasks: WatchedTask[];
  counts: { requests: number; lost: number; replays: number; inconclusive: number; grants: number };
  violations: string[];
};

export type WatchedAccount = OpenedAccount & {
  granted: number;
  perhapsGranted: number;
  spent: number;
  perhapsSpent: number;
};

export type KeyedRequest = {
  kind: 'single' | 'bulk';
  apiKey: string;
  idempotencyKey: string;
  body: { email: string } | { emails: string[] };
  /** Those that must be in the results. */
  accepted: string[];
  /** The first answer that succeeded: every other must be the same. */
  kept: string | undefined;
  /** Nothing more is to be learned of it. */
  resolved: boolean;
  /** How often it was sent, and how often an answer said that it was charged. */
  asked: number;
  charges: number;
};

export type WatchedTask = {
  taskId: string;
  apiKey: string;
  /** Who pays; nobody for a test key. */
  payer: WatchedAccount | undefined;
  accepted: string[];
  /** 0 waiting, 1 running, 2 completed. */
  stage: number;
  checked: number;
  /** The answer once completed, which never changes again. */
  final: string | undefined;
};

export function createExpectations(
  careful: OpenedAccount,
  careless: OpenedAccount,
  granted: number,
): Expectations {
  const watched = (account: OpenedAccount) => ({
    ...account,
    granted,
    perhapsGranted: 0,
    spent: 0,
    perhapsSpent: 0,
  });
  return {
    careful: watched(careful),
    careless: watched(careless),
    keyed: [],
    tasks: [],
    counts: { requests: 0, lost: 0, replays: 0, inconclusive: 0, grants: 0 },
    violations: [],
  };
}

/** What must become of an address, by its domain. */
export function endOf(email: string): string | undefined {
  return email.includes('+safe@') ? 'safe' : ends[email.slice(email.lastIndexOf('@') + 1)];
}

/**
 * Holds a verdict against what is true in the loadWorld. Not to know is allowed, as it costs nothing; to be wrong is not.
 * Answers whether the verdict is conclusive.
 */
export function judgeVerdict(expected: Expectations, email: string, status: unknown): boolean {
  const truth = endOf(email);
  if (status === 'unknown' && truth !== 'unknown') expected.counts.inconclusive += 1;
  else if (status !== truth) expected.violations.push(`${email} is ${truth}, called ${String(status)}`);
  return status !== 'unknown';
}
