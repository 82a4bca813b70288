import { useConsole } from './use-console.ts';

/** Told as long as it lasts, above every page, since what is shown may be out of date. */
const told = {
  lost: 'Connection lost. Trying again by itself; nothing is lost and nothing is paid twice.',
  busy: 'The service is busy. Waiting a little and trying again.',
  fine: '',
} as const;

export function ConnectionBar() {
  const { connection } = useConsole();
  const state = connection.state.value;
  return (
    <div role="status" class="connection-bar" hidden={state === 'fine'}>
      {told[state]}
    </div>
  );
}
