import assert from 'node:assert/strict';
import { parseAddress, type CanonicalHost, type MailboxEvidence, type Probe } from '@mailproof/engine';

/** Returns a probe for an address with one mail host, to be asked from one egress address. */
export function probeFor(email: string, egress: string, account = 'acct_a'): Probe & { egress: string } {
  const parsed = parseAddress(email);
  assert.ok(parsed.kind === 'valid');
  const name = `mx.${parsed.address.host}` as CanonicalHost;
  const first = { name, addresses: ['192.0.2.1'] };
  return {
    address: parsed.address,
    route: { kind: 'takes_mail', implicit: false, mxRecords: [name], preferred: 1, first, further: [] },
    asker: { urgency: 'single', account },
    egress,
  };
}

/** Returns the evidence of a mail host that accepts the address. */
export function acceptedBy(probe: Probe): MailboxEvidence {
  return {
    kind: 'answered',
    host: probe.route.first.name,
    replies: [{ phase: 'rcpt', code: 250, enhanced: '2.1.5', text: 'ok' }],
    meaning: { label: 'accepted', reason: 'accepted' },
    catchAll: { kind: 'undetermined', meaning: undefined },
  };
}
