import type { Webhook, WebhookDelivery } from '@mailproof/client';
import { counted } from '../present/count.ts';
import { printable } from '../present/printable.ts';

const states = { owner: 'off', gone: 'off: it answered 410', failing: 'off: it failed for days' } as const;

/** An endpoint on one line. */
export function presentWebhook(webhook: Webhook): string {
  const { webhook_id: id, url, events, credits_low_at: threshold, failing_since: failing } = webhook;
  const state = webhook.disabled_because === null ? 'on' : states[webhook.disabled_because];
  const trouble = webhook.enabled && failing !== null ? `, failing since ${failing}` : '';
  const wants = events.map((event) => (event === 'credits.low' ? `${event} at ${threshold ?? ''}` : event));
  return `${id}  ${state}${trouble}  ${printable(url)}  ${wants.join(', ')}`;
}

/** A delivery on one line: when, what, how it stands, and what came of the last attempt. */
export function presentDelivery(delivery: WebhookDelivery): string {
  const { delivery_id: id, type, state, attempts, created_at: at, next_attempt_at: next } = delivery;
  const last = attempts.at(-1);
  const ending = last === undefined ? '' : `, ${last.status === null ? last.outcome : `HTTP ${last.status}`}`;
  const again = next === null || attempts.length === 0 ? '' : `, again at ${next}`;
  return `${id}  ${at}  ${type}  ${state} (${counted(attempts.length, 'attempt')}${ending}${again})`;
}
