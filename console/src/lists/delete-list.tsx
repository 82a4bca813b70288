import { useSignal } from '@preact/signals';
import type { ListRecord } from '@mailproof/client';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { useConsole } from '../app/use-console.ts';
import type { FollowedList } from './use-list.ts';

/** Erases the list, after asking. */
export function DeleteList({ followed, list }: { followed: FollowedList; list: ListRecord }) {
  const { api, router, announcer } = useConsole();
  const isAsking = useSignal(false);
  const remove = async () => {
    isAsking.value = false;
    const isDone = await followed.act(async () => {
      await api.client.lists.remove(list.list_id);
      return undefined;
    });
    if (!isDone) return;
    announcer.say('The list was deleted');
    router.go('/lists');
  };
  return (
    <>
      <button type="button" class="button button-danger" onClick={() => (isAsking.value = true)}>
        Delete
      </button>
      {isAsking.value ? (
        <ConfirmDialog
          title={`Delete ${list.name}?`}
          confirm="Delete list"
          isDangerous
          onClose={() => (isAsking.value = false)}
          onConfirm={() => void remove()}
        >
          <p>
            The list and its results are erased for everyone who uses this account. This cannot be undone.
            {list.state === 'running' || list.state === 'paused' ? ' Results so far are charged.' : ''}
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
