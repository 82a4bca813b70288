import type { ListRecord } from '@mailproof/client';
import { counted } from '../parts/format.ts';
import { Time } from '../parts/time.tsx';
import { DeleteList } from './delete-list.tsx';
import { DownloadForm } from './download-form.tsx';
import { headlineOf, othersOf } from './headline.ts';
import { ListCounts } from './list-counts.tsx';
import { stateWords } from './list-table.tsx';
import type { FollowedList } from './use-list.ts';

/** A list that has ended: the answer in a sentence, its counts, its cost and the downloads. */
export function EndedList({ followed, list }: { followed: FollowedList; list: ListRecord }) {
  const { addresses, wanted, checked, state } = list;
  return (
    <section class="card progress-card" aria-labelledby="ended-title">
      <h2 id="ended-title" class="headline">
        {headlineOf(list)}
      </h2>
      <p>
        {othersOf(list).join(' ')}
        {state === 'cancelled'
          ? ` The check was cancelled: ${counted(wanted - checked, 'address was', 'addresses were')} not checked.`
          : ''}
        {wanted < addresses
          ? ` ${counted(addresses - wanted, 'address was', 'addresses were')} left out.`
          : ''}
      </p>
      <ListCounts list={list} />
      <DownloadForm list={list} />
      <div class="ended-foot">
        <p class="hint">
          {stateWords[state]} <Time at={list.ended_at ?? list.created_at} />.{' '}
          {list.sandbox
            ? 'Nothing was charged (sandbox).'
            : `${counted(list.credits_used, 'credit')} charged.`}{' '}
          Kept until <Time at={list.expires_at} />.
        </p>
        <div class="buttons">
          <button type="button" class="button" onClick={() => window.print()}>
            Print report
          </button>
          <DeleteList followed={followed} list={list} />
        </div>
      </div>
    </section>
  );
}
