import type { OpenedAccount } from '../../support/open-fixture.ts';
import { ends } from './load-world.ts';

/**
 * The answers that the driver got and holds the service to, over any number of restarts. Requests whose answer was
 * lost in a kill may have taken effect or not; they count as "perhaps".
 */
export type Expectations = {
  /** Sends an `Idempotency-Key` with every request and repeats until it is answered, so its books are known exactly. */
  careful: WatchedAccount;
  /** Sends none, so lost answers leave a margin. */
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
  /** Addresses that must be in the results. */
  accepted: string[];
  /** The first successful answer: every other must be the same. */
  kept: string | undefined;
  /** The outcome is known. */
  resolved: boolean;
  /** How often it was sent, and how often an answer reported a charge. */
  asked: number;
  charges: number;
};

export type WatchedTask = {
  taskId: string;
  apiKey: string;
  /** The account that pays; undefined for a test key. */
  payer: WatchedAccount | undefined;
  accepted: string[];
  /** 0 waiting, 1 running, 2 completed. */
  stage: number;
  checked: number;
  /** The answer of the completed task, which never changes again. */
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

/** Returns the required outcome of an address, by its domain. */
export function endOf(email: string): string | undefined {
  return email.includes('+safe@') ? 'safe' : ends[email.slice(email.lastIndexOf('@') + 1)];
}

/**
 * Checks a verdict against the truth of the world. Unknown is allowed, as it costs nothing; a wrong verdict is not.
 * Returns whether the verdict is conclusive.
 */
export function judgeVerdict(expected: Expectations, email: string, status: unknown): boolean {
  const truth = endOf(email);
  if (status === 'unknown' && truth !== 'unknown') expected.counts.inconclusive += 1;
  else if (status !== truth) expected.violations.push(`${email} is ${truth}, called ${String(status)}`);
  return status !== 'unknown';
}
