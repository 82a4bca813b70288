import type { Socket } from 'node:net';
import { canonicalMailHost, type CanonicalHost, type Clock } from '@mailproof/engine';
import { printable } from '../present/text.ts';
import { findAddresses, type DoctorParts, type Finding } from './doctor-parts.ts';

const targetsMax = 3;

/** For machines whose provider never opens the port. */
const elsewhere = 'If port 25 is closed here, run a prober where it is open: see docs/probers.md.';

type Target = { host: CanonicalHost; address: string };

/**
 * Tests outbound port 25 with the operator's canaries, or else with the mail host of the sender's own domain. No
 * other host is contacted. One connection, the banner, QUIT.
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
          ? 'none of the canaries has an IP address'
          : `${parts.senderDomain} has no mail server to test with, and no other server is contacted for a test`,
      remedy: `Set MAILPROOF_MAIL_FROM to an address at a domain of yours that receives mail, or name canaries in the providers file, then run doctor again. ${elsewhere}`,
    };
  }
  const findings: Finding[] = [];
  for (const target of targets) {
    const finding = await tryTarget(target, check, parts);
    if (finding.state === 'ok') return finding;
    findings.push(finding);
  }
  // One host that is down says little, so the finding of the most telling attempt is returned.
  const order: Finding['state'][] = ['warning', 'problem', 'not_checked'];
  findings.sort((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  return findings[0] ?? { check, state: 'not_checked', seen: 'no server was contacted' };
}

export async function ownMailHosts(parts: DoctorParts): Promise<CanonicalHost[]> {
  const lookup = await parts.resolver.mx(parts.senderDomain, parts.patience());
  if (lookup.kind === 'no_data') return [parts.senderDomain];
  const records = lookup.kind === 'found' ? lookup.records : [];
  return [...records]
    .sort((one, other) => one.preference - other.preference)
    .map(({ exchange }) => canonicalMailHost(exchange.replace(/\.$/, '')))
    .filter((host) => host !== undefined);
}

export async function resolveHosts(hosts: readonly CanonicalHost[], parts: DoctorParts): Promise<Target[]> {
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
    'Ask your provider to open outbound port 25 (most clouds block it by default), check your own firewall, or run a prober where it is open: see docs/probers.md.';
  switch (dialled.why) {
    case 'forbidden':
      return {
        check,
        state: 'not_checked',
        seen: `${host} is ${address}, which is this machine or not a public IP address`,
        remedy: `Test from a machine that reaches the server by its public IP address. ${elsewhere}`,
      };
    case 'timeout':
      return {
        check,
        state: 'problem',
        seen: `${host} (${address}) did not answer: the connection is probably dropped on the way`,
        remedy: blocked,
      };
    case 'refused':
      // The refusal came back from there, so the way is open. A firewall in between may refuse too, but hardly any does.
      return {
        check,
        state: 'warning',
        seen: `open, but ${host} (${address}) refuses connections: no mail server listens there`,
        remedy:
          'Start the mail server of that host, or test with another: name canaries in the providers file. If others refuse too, a firewall on the way does: see docs/probers.md.',
      };
    case 'unreachable':
      return {
        check,
        state: 'problem',
        seen: `${host} (${address}) could not be reached: no route to it, or a firewall rejects the connection`,
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
      seen: `${host} accepted the connection but sent nothing`,
      remedy: 'Check whether a transparent proxy or a firewall answers in its place.',
    };
  }
  const shown = banner.slice(0, 120);
  if (banner.startsWith('220')) return { check, state: 'ok', seen: `${host} answered: ${shown}` };
  return {
    check,
    state: 'warning',
    seen: `open, but ${host} answered: ${shown}`,
    remedy:
      'A mail server that you chose yourself rejects this machine. Find out why before others do the same.',
  };
}

const bannerBytesMax = 2_048;

/** The time a host has to close after QUIT. Only the end of the process waits for it. */
const goodbyeMs = 2_000;

/** Returns the first line of a mail host and sends QUIT; undefined if no line came in time. */
async function readBanner(
  socket: Socket,
  { clock, deadline }: { clock: Clock; deadline: number },
): Promise<string | undefined> {
  const banner = await firstLine(socket, { clock, deadline });
  if (banner === undefined) {
    socket.destroy();
    return undefined;
  }
  socket.resume();
  const cancel = clock.after(goodbyeMs, () => socket.destroy());
  socket.once('close', cancel);
  socket.end('QUIT\r\n');
  return printable(banner);
}

function firstLine(
  socket: Socket,
  { clock, deadline }: { clock: Clock; deadline: number },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const cancel = clock.after(deadline - clock.now(), () => resolve(undefined));
    const settle = (line: string | undefined) => {
      cancel();
      resolve(line);
    };
    socket.on('error', () => settle(undefined));
    socket.on('close', () => settle(undefined));
    socket.on('data', (chunk: Buffer) => {
      if (text.length > bannerBytesMax) return;
      text += chunk.toString('latin1');
      const end = text.indexOf('\n');
      if (end >= 0) settle(text.slice(0, end).trimEnd());
      else if (text.length > bannerBytesMax) settle(undefined);
    });
    socket.resume();
  });
}
