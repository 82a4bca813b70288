import type { AdminEgressAddress, AdminProber, AdminProberList } from '@mailproof/client';
import type { FeatureCard } from '../../app/features.ts';
import { useEvery, useLoaded } from '../../app/loading.ts';
import { FailureNotice } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { SmallTable, Time } from '../../parts/elements.tsx';

export const probersCard: FeatureCard = { feature: 'probers', Card: ProbersCard };

const lookAgainMs = 10_000;

function ProbersCard() {
  const { api } = useConsole();
  const list = useLoaded(() => api.admin.probers());
  useEvery(lookAgainMs, () => void list.reload(), true);
  return (
    <>
      {list.failure.value === undefined ? null : <FailureNotice failure={list.failure.value} />}
      {list.value.value === undefined ? null : <ProberTables {...list.value.value} />}
    </>
  );
}

/** The origins of SMTP sessions: probers elsewhere, if there are any, and the processes of the service. */
function ProberTables({ probers, egress_addresses: addresses }: AdminProberList) {
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

/** Returns the addresses given by the operator, and marks each that the prober has not announced. */
function egressOf({ egress_given: given, egress }: AdminProber): string {
  const missing = given.filter((name) => !egress.includes(name));
  const unused = missing.length === 0 ? '' : ` (not in use: ${missing.join(', ')})`;
  return given.length === 0 ? '–' : `${egress.join(', ')}${unused}`.trim();
}

const states: Readonly<Record<AdminProber['state'], string>> = {
  invited: 'Invited, not enrolled yet',
  well: 'Working',
  unwell: 'Not used',
  silent: 'No contact',
};

const reasons: Readonly<Record<string, string>> = {
  controls_wrong: 'control mailboxes gave wrong results',
  not_checked_yet: 'control mailboxes have not been checked yet',
  mail_port_blocked: 'outbound port 25 is blocked there',
  identity_unproven: 'its HELO name or sender is not proven to be its own; see mailproof doctor there',
  down: 'its route cannot be reached',
  resting: 'its route is paused',
};

function stateWords({ state, why_not: whyNot }: AdminProber): string {
  if (state !== 'unwell' || whyNot === null) return states[state];
  return `${states[state]}: ${reasons[whyNot] ?? whyNot}`;
}

function egressWords({ state, why_not: whyNot }: AdminEgressAddress): string {
  if (state === 'free') return 'Not in use';
  if (state === 'well' || whyNot === null) return 'Working';
  return `Not used: ${reasons[whyNot] ?? whyNot}`;
}

function unknownShare({ answered, unknown }: AdminProber): string {
  return answered === 0 ? '–' : `${Math.round((100 * unknown) / answered)}% of ${answered}`;
}
