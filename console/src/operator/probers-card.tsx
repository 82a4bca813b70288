import type { AdminEgressAddress, AdminProber, AdminProberList } from '@mailproof/client';
import { Time } from '../parts/time.tsx';
import { SmallTable } from './health-tables.tsx';

/** From where mail hosts are asked: machines elsewhere, of which there may be none, and the processes of the service. */
export function ProbersCard({ probers, egress_addresses: addresses }: AdminProberList) {
  return (
    <>
      {probers.length === 0 ? null : (
        <SmallTable
          title="Probers"
          nothing="Probers: none"
          heads={[
            'Prober',
            'State',
            'Address',
            'Egress addresses',
            'Share',
            'Last seen',
            'Conversations',
            'Unknown',
            'Paused hosts',
            'Version',
          ]}
          rows={probers.map((prober) => [
            prober.name,
            stateWords(prober),
            prober.address ?? '–',
            egressOf(prober),
            `${prober.share}%`,
            prober.seen_at === null ? '–' : <Time at={prober.seen_at} />,
            prober.conversations,
            unknownShare(prober),
            prober.resting,
            prober.version ?? '–',
          ])}
        />
      )}
      <SmallTable
        title="Egress addresses of this installation"
        nothing="Egress addresses of this installation: none in use"
        heads={[
          'Egress address',
          'State',
          'Process',
          'Last seen',
          'Lease until',
          'Conversations',
          'Paused hosts',
        ]}
        rows={addresses.map((address) => [
          address.name,
          egressWords(address),
          address.owner ?? '–',
          address.seen_at === null ? '–' : <Time at={address.seen_at} />,
          address.lease_until === null ? '–' : <Time at={address.lease_until} />,
          address.conversations,
          address.resting,
        ])}
      />
    </>
  );
}

/** What the operator gave it; names that it has not announced are told apart. */
function egressOf({ egress_given: given, egress }: AdminProber): string {
  const missing = given.filter((name) => !egress.includes(name));
  const unused = missing.length === 0 ? '' : ` (not in use: ${missing.join(', ')})`;
  return given.length === 0 ? '–' : `${egress.join(', ')}${unused}`.trim();
}

const states: Readonly<Record<AdminProber['state'], string>> = {
  invited: 'Invited, not enrolled yet',
  well: 'Working',
  unwell: 'Not used',
  silent: 'Not heard of',
};

const reasons: Readonly<Record<string, string>> = {
  controls_wrong: 'control mailboxes came out wrong',
  not_checked_yet: 'control mailboxes have not been asked yet',
  mail_port_blocked: 'outbound port 25 is blocked there',
  identity_unproven: 'its HELO name or sender is not proven to be its own; see mailproof doctor there',
  down: 'its route cannot be reached',
  resting: 'its route is left alone for a while',
};

function stateWords({ state, why_not: whyNot }: AdminProber): string {
  if (state !== 'unwell' || whyNot === null) return states[state];
  return `${states[state]}: ${reasons[whyNot] ?? whyNot}`;
}

function egressWords({ state, why_not: whyNot }: AdminEgressAddress): string {
  if (state === 'free') return 'Nobody asks from it';
  if (state === 'well' || whyNot === null) return 'Working';
  return `Not used: ${reasons[whyNot] ?? whyNot}`;
}

function unknownShare({ answered, unknown }: AdminProber): string {
  return answered === 0 ? '–' : `${Math.round((100 * unknown) / answered)}% of ${answered}`;
}
