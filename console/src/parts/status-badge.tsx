import { Icon } from './icon.tsx';
import { isShownStatus, statusLabel } from './statuses.ts';

/** A status as word, shape and colour. */
export function StatusBadge({ status }: { status: string }) {
  const shown = isShownStatus(status) ? status : 'unknown';
  return (
    <span class={`badge status-${shown}`}>
      <Icon name={shown} />
      {statusLabel(status)}
    </span>
  );
}
