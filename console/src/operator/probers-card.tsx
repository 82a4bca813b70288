import type { AdminProber } from '@mailproof/client';
import { Time } from '../parts/time.tsx';
import { SmallTable } from './health-tables.tsx';

/** The machines elsewhere through which mail hosts are asked. There is nothing to say where there are none. */
export function ProbersCard({ probers }: { probers: AdminProber[] }) {
  if (probers.length === 0) return null;
  return (
    <SmallTable
      title="Probers"
      nothing="Probers: none"
      heads={[
        'Prober',
        'State',
        'Address',
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
        prober.seen_at === null ? '–' : <Time at={prober.seen_at} />,
        prober.conversations,
        unknownShare(prober),
        prober.resting,
        prober.version ?? '–',
      ])}
    />
  );
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
};

function stateWords({ state, why_not: whyNot }: AdminProber): string {
  if (state !== 'unwell' || whyNot === null) return states[state];
  return `${states[state]}: ${reasons[whyNot] ?? whyNot}`;
}

function unknownShare({ answered, unknown }: AdminProber): string {
  return answered === 0 ? '–' : `${Math.round((100 * unknown) / answered)}% of ${answered}`;
}
