import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

type DialogProps = { title: string; onClose: () => void; children: ComponentChildren };

/** A question or a closer look above the page. The browser keeps the focus inside, and gives it back at the end. */
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
  /** What the way back is called. */
  cancel?: string;
  isDangerous?: boolean;
  onConfirm: () => void;
  children?: ComponentChildren;
};

/** Asks before something that cannot be taken back. */
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
