import { probeResolver } from '@mailproof/engine';
import type { DoctorParts, Finding } from './doctor-parts.ts';

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
        seen: 'no DNS server is configured on this machine',
        remedy: 'Add one to /etc/resolv.conf or set MAILPROOF_DNS_SERVERS.',
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
  if (lookup.kind !== 'failed' && resolverProbes.length === 0) {
    return {
      check,
      state: 'warning',
      seen: `answered in ${tookMs} ms; its denials are believed as they come (MAILPROOF_RESOLVER_PROBES=none)`,
      remedy:
        'In a closed network this is as it should be. Otherwise unset MAILPROOF_RESOLVER_PROBES: a resolver that fails would make living domains invalid.',
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
          'Start it, allow UDP and TCP port 53 to it, or set MAILPROOF_DNS_SERVERS to one that answers.',
      };
    case 'refused':
      return {
        check,
        state: 'problem',
        seen: 'refused the lookup',
        remedy:
          'Allow this machine to query it (recursion), or set MAILPROOF_DNS_SERVERS to a recursive resolver.',
      };
    case 'servfail':
    case 'malformed':
    case 'other_rcode':
      return {
        check,
        state: 'warning',
        seen: `answered, but could not look up ${senderDomain} (${lookup.failure})`,
        remedy: `If other names fail too, use another resolver. If not, fix the DNS zone of ${senderDomain}.`,
      };
  }
}
