import type { AccountCredits, Usage } from '@mailproof/client';
import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { Fragment, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Feature } from '../../app/features.ts';
import { type Loaded, useLoaded, usePages } from '../../app/loading.ts';
import { FailureNotice, Page, WhenRead } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { ColumnsChart } from '../../parts/charts.tsx';
import { Facts, Notice } from '../../parts/elements.tsx';
import { counted, grouped } from '../../parts/format.ts';
import { KeysCard } from './keys-card.tsx';
import { LedgerCard } from './ledger-card.tsx';

/** A card that a feature adds to the page. The page appears once all `reads` are settled. */
export type AccountCard = {
  feature: Feature;
  after: 'balance' | 'usage' | 'keys';
  useCard: () => {
    reads: readonly { isSettled: ReadonlySignal<boolean> }[];
    /** `mayChange`: the person may change the account. */
    draw: (mayChange: boolean) => JSX.Element | null;
  };
};

export function AccountPage({ cards }: { cards: readonly AccountCard[] }) {
  const { api, session, features } = useConsole();
  const state = session.state.value;
  const pages = usePages(async (before) => {
    const { entries, next } = await api.client.ledger({ before, limit: 20 });
    return { items: entries, next };
  });
  const keys = useLoaded(() => api.client.keys.list());
  const span = useSignal(30);
  const usage = useLoaded(() => api.client.usage({ days: span.value }), [span.value]);
  const added = cards
    .filter(({ feature }) => features.has(feature))
    .map(({ after, useCard }) => ({ after, ...useCard() }));
  useEffect(() => void session.refresh(), []);
  if (state.kind !== 'account') return null;
  const { account, person } = state;
  // Actions that the service would refuse are not offered.
  const mayChange = person === undefined || person.role === 'owner';
  const cardsAfter = (place: AccountCard['after']) =>
    added
      .filter(({ after }) => after === place)
      .map(({ draw }, i) => <Fragment key={i}>{draw(mayChange)}</Fragment>);
  return (
    <Page title="Account" lead={account.name}>
      <WhenRead of={[keys, usage, pages, ...added.flatMap(({ reads }) => reads)]}>
        <AccountNotices plan={account.plan} frozen={account.frozen} />
        <section class="card" aria-labelledby="balance-title">
          <div class="card-head">
            <h2 id="balance-title">Balance</h2>
            <span class="hint">
              Account <code>{account.account_id}</code>
            </span>
          </div>
          <CreditFacts credits={account.credits} />
        </section>
        {cardsAfter('balance')}
        <UsageCard usage={usage} span={span} />
        {cardsAfter('usage')}
        {mayChange ? (
          <KeysCard
            actions={{
              keys,
              create: (wish) => api.client.keys.create(wish),
              change: (id, change) => api.client.keys.change(id, change),
              remove: (id) => api.client.keys.delete(id),
            }}
          />
        ) : null}
        {cardsAfter('keys')}
        <LedgerCard pages={pages} canOpen />
      </WhenRead>
    </Page>
  );
}

export function AccountNotices({ plan, frozen }: { plan: string; frozen: boolean }) {
  return (
    <>
      {frozen ? (
        <Notice tone="problem" title="The account is on hold">
          <p>Its ledger did not balance. No credits can be spent until the operator has resolved this.</p>
        </Notice>
      ) : null}
      {plan === 'none' ? (
        <Notice tone="warning" title="No active plan">
          <p>You can read earlier results. To check new addresses, ask the operator for a plan.</p>
        </Notice>
      ) : null}
    </>
  );
}

/** The four numbers of an account, and their sum. */
export function CreditFacts({ credits }: { credits: AccountCredits }) {
  const { granted, available, reserved, spent } = credits;
  const facts = [
    ['Available', available],
    ['Reserved', reserved],
    ['Spent', spent],
    ['Granted', granted],
  ] as const;
  return (
    <>
      <Facts facts={facts} />
      <p class="hint">
        {grouped(available)} available + {grouped(reserved)} reserved + {grouped(spent)} spent ={' '}
        {grouped(granted)} granted
      </p>
    </>
  );
}

type UsageCardProps = { usage: Loaded<Usage>; span: Signal<number> };

/** Credits spent per day, over a span of days. */
function UsageCard({ usage, span }: UsageCardProps) {
  const days = usage.value.value?.days;
  const charged = days?.reduce((sum, day) => sum + day.charged, 0) ?? 0;
  return (
    <section class="card usage" aria-labelledby="usage-title">
      <div class="card-head">
        <h2 id="usage-title">Usage</h2>
        <label class="inline-field">
          Days{' '}
          <select value={span.value} onChange={(event) => (span.value = Number(event.currentTarget.value))}>
            <option value={7}>7</option>
            <option value={30}>30</option>
            <option value={90}>90</option>
          </select>
        </label>
      </div>
      {usage.failure.value === undefined ? null : <FailureNotice failure={usage.failure.value} />}
      {days === undefined ? null : (
        <ColumnsChart
          title="Credits charged per day"
          summary={`${counted(charged, 'credit')} in ${counted(days.length, 'day')} (UTC days).`}
          of="Day"
          columns={days.map((day) => ({
            key: day.date,
            label: day.date,
            parts: [{ name: 'Charged', class: 'column-accent', count: day.charged }],
          }))}
        />
      )}
    </section>
  );
}
