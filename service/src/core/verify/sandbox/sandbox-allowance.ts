import { createBoundedCache, type Clock } from '@mailproof/engine';

/** What a test key had stored lives this long at most: a try-out is over by then, and it must not fill the disk. */
const sandboxLifeMs = 3_600_000;

/** How long a completed task or a list is kept. */
export function retentionOf(mode: 'live' | 'test', retentionMs: number): number {
  return mode === 'live' ? retentionMs : Math.min(retentionMs, sandboxLifeMs);
}

/**
 * How many addresses an account may have stored in an hour without paying for them. Since they live an hour, no more
 * than that are there at once. Each process counts for itself, in memory: a refusal costs the store nothing.
 */
export type SandboxAllowance = {
  left(accountId: string): number;
  /** Takes what is stored; more than is left is not refused here. */
  take(accountId: string, addresses: number): void;
  /** For what was taken and then not stored. */
  giveBack(accountId: string, addresses: number): void;
  /** When some will be left again. */
  retryAfterSeconds(accountId: string): number;
};

export type SandboxUsedUp = { kind: 'sandbox_used_up'; retryAfterSeconds: number };

/** Uses of the same minute are counted together, so that an account never has more than 61 of these. */
type Use = { at: number; addresses: number };

const stepMs = 60_000;
const accountsKnown = 10_000;

export function createSandboxAllowance({
  clock,
  addressesPerHour,
}: {
  clock: Pick<Clock, 'now'>;
  addressesPerHour: number;
}): SandboxAllowance {
  const uses = createBoundedCache<Use[]>({ clock, maxEntries: accountsKnown });

  function recent(accountId: string): Use[] {
    const now = clock.now();
    return (uses.get(accountId) ?? []).filter(({ at }) => at + sandboxLifeMs > now);
  }

  function add(accountId: string, addresses: number): void {
    const now = clock.now();
    const before = recent(accountId);
    const last = before.at(-1);
    if (last !== undefined && now - last.at < stepMs) last.addresses += addresses;
    else before.push({ at: now, addresses });
    uses.set(accountId, before, sandboxLifeMs);
  }

  return {
    left: (accountId) =>
      Math.max(0, addressesPerHour - recent(accountId).reduce((sum, { addresses }) => sum + addresses, 0)),
    take: add,
    giveBack: (accountId, addresses) => add(accountId, -addresses),
    retryAfterSeconds: (accountId) => {
      const [oldest] = recent(accountId);
      return oldest === undefined ? 1 : Math.ceil((oldest.at + sandboxLifeMs - clock.now()) / 1_000);
    },
  };
}

type SandboxWork = { caller: { accountId: string; mode: 'live' | 'test' } };

type LimitSandboxParts<Request, Answer> = {
  allowance: SandboxAllowance;
  /** How many addresses the request would have stored. */
  addressesIn: (request: Request) => number;
  isStored: (answer: Answer) => boolean;
};

/** Work that test keys may have done only within their allowance. Live keys pay, and are not counted. */
export function limitSandbox<Request extends SandboxWork, Answer>(
  work: (request: Request) => Promise<Answer>,
  { allowance, addressesIn, isStored }: LimitSandboxParts<Request, Answer>,
): (request: Request) => Promise<Answer | SandboxUsedUp> {
  async function workWithin(request: Request, addresses: number): Promise<Answer | SandboxUsedUp> {
    const { accountId } = request.caller;
    if (addresses > allowance.left(accountId))
      return { kind: 'sandbox_used_up', retryAfterSeconds: allowance.retryAfterSeconds(accountId) };
    allowance.take(accountId, addresses);
    let stored = false;
    try {
      const answer = await work(request);
      stored = isStored(answer);
      return answer;
    } finally {
      if (!stored) allowance.giveBack(accountId, addresses);
    }
  }
  return (request) => {
    const addresses = request.caller.mode === 'live' ? 0 : addressesIn(request);
    return addresses === 0 ? work(request) : workWithin(request, addresses);
  };
}
