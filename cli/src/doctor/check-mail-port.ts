import { canonicalHost, type CanonicalHost } from '@mailproof/engine';
import type { DoctorParts, Finding } from './check.ts';
import { findAddresses } from './find-addresses.ts';
import { readBanner } from './read-banner.ts';

const targetsMax = 3;

type Target = { host: CanonicalHost; address: string };

/**
 * Outbound port 25, tried on the operator's canaries or else on the mail host of the sender's own domain:
 * those the operator named, and nobody else is to be bothered. One connection, the banner, QUIT.
 */
export async function checkMailPort(parts: DoctorParts): Promise<Finding> {
  const check = `outbound port ${parts.config.smtpPort}`;
  const targets = await resolveHosts(
    parts.canaries.length > 0 ? parts.canaries : await ownMailHosts(parts),
    parts,
  );
  if (targets.length === 0) {
    return {
      check,
      state: 'not_checked',
      seen:
        parts.canaries.length > 0
          ? 'none of the canaries has an address'
          : `${parts.senderDomain} has no mail host to try it on, and nobody else's is dialled for a test`,
      remedy:
        'Set MAILPROOF_MAIL_FROM to an address of a domain of yours that takes mail, then run doctor again.',
    };
  }
  const findings: Finding[] = [];
  for (const target of targets) {
    const finding = await tryTarget(target, check, parts);
    if (finding.state === 'ok') return finding;
    findings.push(finding);
  }
  // One host that is down says little; what the most telling attempt showed is what is told.
  const order: Finding['state'][] = ['warning', 'problem', 'not_checked'];
  findings.sort((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  return findings[0] ?? { check, state: 'not_checked', seen: 'nothing was tried' };
}

async function ownMailHosts(parts: DoctorParts): Promise<CanonicalHost[]> {
  const lookup = await parts.resolver.mx(parts.senderDomain, parts.patience());
  if (lookup.kind === 'no_data') return [parts.senderDomain];
  const records = lookup.kind === 'found' ? lookup.records : [];
  return [...records]
    .sort((one, other) => one.preference - other.preference)
    .map(({ exchange }) => canonicalHost(exchange.replace(/\.$/, '')))
    .filter((host) => host !== undefined);
}

async function resolveHosts(hosts: readonly CanonicalHost[], parts: DoctorParts): Promise<Target[]> {
  const targets: Target[] = [];
  for (const host of hosts.slice(0, targetsMax)) {
    const found = await findAddresses(host, parts);
    const address = found.kind === 'found' ? found.addresses[0] : undefined;
    if (address !== undefined) targets.push({ host, address });
  }
  return targets;
}

async function tryTarget(target: Target, check: string, parts: DoctorParts): Promise<Finding> {
  const { host, address } = target;
  const dialled = await parts.dialer.dial(target, parts.patience());
  if (dialled.kind === 'connected') return await greet(dialled.socket, { host, check }, parts);
  const blocked =
    'Ask your provider to open outbound port 25 (most clouds keep it closed until asked), check your own firewall, or run Mailproof elsewhere.';
  switch (dialled.why) {
    case 'forbidden':
      return {
        check,
        state: 'not_checked',
        seen: `${host} is ${address}, which is no public address or this machine itself`,
        remedy: 'Try from a machine that reaches the host by its public address.',
      };
    case 'timeout':
      return {
        check,
        state: 'problem',
        seen: `${host} (${address}) did not take a connection: it is most likely dropped on the way`,
        remedy: blocked,
      };
    case 'refused':
    case 'unreachable':
      return {
        check,
        state: 'problem',
        seen: `${host} (${address}) could not be reached: ${dialled.why}`,
        remedy: blocked,
      };
  }
}

async function greet(
  socket: Parameters<typeof readBanner>[0],
  { host, check }: { host: string; check: string },
  { clock, patience }: DoctorParts,
): Promise<Finding> {
  const banner = await readBanner(socket, { clock, deadline: patience().deadline });
  if (banner === undefined) {
    return {
      check,
      state: 'warning',
      seen: `${host} took the connection and said nothing`,
      remedy:
        'Look whether something between here and there answers for it (a transparent proxy, a firewall).',
    };
  }
  const shown = banner.slice(0, 120);
  if (banner.startsWith('220')) return { check, state: 'ok', seen: `${host} answered: ${shown}` };
  return {
    check,
    state: 'warning',
    seen: `open, but ${host} answered: ${shown}`,
    remedy:
      'A mail host that you chose yourself refuses this machine; find out why before strangers do the same.',
  };
}
