import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Lookup, Resolver } from './lookup.ts';

/** Records that a domain publishes about its mail. A field without an answer is absent. */
export type DomainPosture = {
  spf?: boolean;
  /** Whether it only watches (`p=none`) or is enforced (`quarantine`, `reject`). */
  dmarc?: 'absent' | 'watching' | 'enforced';
  mtaSts?: boolean;
};

export type PostureParts = {
  resolver: Pick<Resolver, 'text'>;
  clock: Clock;
  limits: Pick<Limits, 'postureMs' | 'domainOctets'>;
};

/**
 * Finds how much care a domain takes of its mail: SPF (RFC 7208), DMARC (RFC 7489) and MTA-STS (RFC 8461), by three
 * TXT questions at once. The result is worth little, so the wait is short; a late answer counts as unknown.
 */
export async function findPosture(
  domain: CanonicalHost,
  { resolver, clock, limits }: PostureParts,
  patience: Patience,
): Promise<DomainPosture> {
  const deadline = Math.min(patience.deadline, clock.now() + limits.postureMs);
  if (domain.length + '_mta-sts.'.length > limits.domainOctets) return {};
  const names = [domain, `_dmarc.${domain}`, `_mta-sts.${domain}`] as const;
  const [plain, dmarc, mtaSts] = await Promise.all(
    names.map((name) => resolver.text(name, { ...patience, deadline })),
  );
  return {
    ...read('spf', plain, (records) => records.some((text) => /^v=spf1(?: |$)/i.test(text))),
    ...read('dmarc', dmarc, readDmarc),
    ...read('mtaSts', mtaSts, (records) => records.some((text) => /^v=STSv1\s*(?:;|$)/i.test(text))),
  };
}

/** Reads one field; a lookup that failed leaves it absent. */
function read<Name extends string, Value>(
  name: Name,
  lookup: Lookup<string> | undefined,
  judge: (records: readonly string[]) => Value,
): { [Key in Name]?: Value } {
  if (lookup === undefined || lookup.kind === 'failed') return {};
  const found = { [name]: judge(lookup.kind === 'found' ? lookup.records : []) };
  return found as { [Key in Name]?: Value };
}

function readDmarc(records: readonly string[]): NonNullable<DomainPosture['dmarc']> {
  const record = records.find((text) => /^v=DMARC1\s*(?:;|$)/i.test(text));
  if (record === undefined) return 'absent';
  return /;\s*p\s*=\s*(?:quarantine|reject)\s*(?:;|$)/i.test(record) ? 'enforced' : 'watching';
}
