import { probeResolver } from '@mailproof/engine';
import type { DoctorParts, Finding } from './check.ts';

/**
 * Each server answers a question about the operator's own domain, for which "there is no such name" is an answer too,
 * and knows the names that must exist.
 */
export async function checkResolvers(parts: DoctorParts): Promise<Finding[]> {
  if (parts.servers.length === 0) {
    return [
      {
        check: 'resolver',
        state: 'problem',
        seen: 'the system names no DNS server',
        remedy: 'Name one in /etc/resolv.conf or set MAILPROOF_DNS_SERVERS.',
      },
    ];
  }
  return await Promise.all(parts.servers.map((server) => checkResolver(server, parts)));
}

async function checkResolver(
  { ip, port, resolver }: DoctorParts['servers'][number],
  { clock, senderDomain, resolverProbes, patience }: DoctorParts,
): Promise<Finding> {
  const check = `resolver ${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
  const askedAt = clock.now();
  const lookup = await resolver.mx(senderDomain, patience());
  const tookMs = Math.round(clock.now() - askedAt);
  const probed = await probeResolver(resolverProbes, resolver, patience());
  if (probed.kind === 'denies') {
    return {
      check,
      state: 'problem',
      seen: `denies what is known to exist: ${probed.names.join(', ')}`,
      remedy:
        'Set MAILPROOF_DNS_SERVERS to a resolver of the public DNS, or, in a closed network, MAILPROOF_RESOLVER_PROBES to names that exist there (or none).',
    };
  }
  if (lookup.kind !== 'failed') return { check, state: 'ok', seen: `answered in ${tookMs} ms` };
  switch (lookup.failure) {
    case 'silence':
      return {
        check,
        state: 'problem',
        seen: `did not answer within ${tookMs} ms`,
        remedy:
          'Start it, let UDP and TCP port 53 through to it, or set MAILPROOF_DNS_SERVERS to one that answers.',
      };
    case 'refused':
      return {
        check,
        state: 'problem',
        seen: 'refused to look a name up',
        remedy:
          'Let this machine ask it (allow recursion), or set MAILPROOF_DNS_SERVERS to a recursive resolver.',
      };
    case 'servfail':
    case 'malformed':
    case 'other_rcode':
      return {
        check,
        state: 'warning',
        seen: `answered, but could not look ${senderDomain} up (${lookup.failure})`,
        remedy: `If it fails for other names too, choose another resolver; if not, mend the zone of ${senderDomain}.`,
      };
  }
}
