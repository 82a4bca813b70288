import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

type NoticeProps = { tone: 'info' | 'warning' | 'problem'; title: string; children?: ComponentChildren };

/** Something to know. Problems interrupt a screen reader, the rest waits for its turn. */
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
