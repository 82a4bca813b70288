import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { grouped, localTime } from './format.ts';
import { isShownStatus, statusLabel } from './statuses.ts';

/** The icons of the page, on a grid of 16. Strokes take the colour of the text around them. */
const paths = {
  safe: 'M3 8.5l3.2 3.2L13 5',
  role_account:
    'M5.5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4M2 13c0-2.2 1.5-3.8 3.5-3.8S9 10.8 9 13M11 7.5a1.7 1.7 0 1 0 0-3.4M11 9.5c1.8 0 3 1.4 3 3.5',
  catch_all: 'M2.5 3.5h11L9.5 8.5V13l-3-1.5v-3z',
  inbox_full: 'M2.5 9h3l1 2h3l1-2h3M2.5 9v4h11V9M4 6.5h8M5 4h6',
  disposable: 'M3.5 5h9M6.5 5V3h3v2M4.5 5l.6 8h5.8l.6-8',
  disabled: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M3.8 3.8l8.4 8.4',
  invalid: 'M4 4l8 8M12 4l-8 8',
  spamtrap: 'M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1',
  unknown: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.7 8 9 8 10M8 12.6v.1',
  rejected: 'M3 8h10',
  check: 'M13.5 13.5l-3.2-3.2M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9',
  lists: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  tasks: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M8 4.8V8l2.2 1.6',
  account: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8M2.8 14c0-2.6 2.2-4.3 5.2-4.3s5.2 1.7 5.2 4.3',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z',
  system: 'M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  download: 'M8 2.5v7M5 7l3 3 3-3M3 13h10',
  upload: 'M8 10V3M5 5.5L8 2.5l3 3M3 13h10',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M8 7.5V11M8 5v.1',
  warning: 'M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
} as const;

export type IconName = keyof typeof paths;

/** An icon. It always stands beside words, so screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

type NoticeProps = { tone: 'info' | 'warning' | 'problem'; title: string; children?: ComponentChildren };

/** A notice. Problems interrupt a screen reader; other notices wait. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role={tone === 'problem' ? 'alert' : 'status'}>
      <Icon name={tone === 'info' ? 'info' : 'warning'} />
      <div>
        <p class="notice-title">{title}</p>
        {children}
      </div>
    </div>
  );
}

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

/** Names with their figures or plain texts. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          {typeof value === 'number' ? <dd>{grouped(value)}</dd> : <dd class="fact-plain">{value}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** A time in the reader's time zone; the element holds the exact UTC time. */
export function Time({ at }: { at: string }) {
  const [day, hour = ''] = localTime(at).split(' ');
  return (
    <time dateTime={at} title={at}>
      {/* A narrow column breaks before the hour, not at the hyphens. */}
      <span class="day">{day}</span> {hour}
    </time>
  );
}

/** The heading of a column, with the class of its cells if they have one. */
type Heading = string | readonly [name: string, className: string];

/** The headings of a table. In a table with only the visible rows drawn, they are row 1. */
export function TableHead({ columns, rowIndex }: { columns: readonly Heading[]; rowIndex?: number }) {
  return (
    <thead>
      <tr aria-rowindex={rowIndex}>
        {columns.map((column) => {
          const [name, className] = typeof column === 'string' ? [column, undefined] : column;
          return (
            <th key={name} scope="col" class={className}>
              {name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

type SmallTableProps = { title: string; nothing: string; heads: string[]; rows: ComponentChildren[][] };

export function SmallTable({ title, nothing, heads, rows }: SmallTableProps) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p class="hint">{nothing}</p>
      ) : (
        <div class="table-scroll" role="group" aria-label={title} tabIndex={0}>
          <table>
            <caption class="visually-hidden">{title}</caption>
            <TableHead columns={heads} />
            <tbody>
              {rows.map((cells, i) => (
                <tr key={i}>
                  {cells.map((cell, j) => (j === 0 ? <th scope="row">{cell}</th> : <td>{cell}</td>))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

type DialogProps = { title: string; onClose: () => void; children: ComponentChildren };

/** A dialog above the page. The browser keeps the focus inside, and returns it at the end. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={onClose}>
      <div class="dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = Omit<DialogProps, 'children'> & {
  confirm: string;
  /** The label of the button that closes the dialog. */
  cancel?: string;
  isDangerous?: boolean;
  onConfirm: () => void;
  children?: ComponentChildren;
};

/** Asks before an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmProps) {
  const { title, confirm, cancel = 'Cancel', isDangerous, onConfirm, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="buttons">
        <button
          type="button"
          class={isDangerous === true ? 'button button-danger' : 'button button-main'}
          onClick={onConfirm}
        >
          {confirm}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {cancel}
        </button>
      </div>
    </Dialog>
  );
}

/** Saves a file: the browser asks for a folder, or puts it among the downloads. */
export function saveFile(name: string, pieces: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(pieces, { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // A download that has begun holds its content itself.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
