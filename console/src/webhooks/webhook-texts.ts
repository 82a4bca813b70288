import type { WantedEventType, Webhook, WebhookAttempt } from '@mailproof/client';

/** What the pages of webhooks say, in plain words. */
export const eventTexts: Record<WantedEventType, string> = {
  'task.completed': 'A task is completed',
  'list.completed': 'A list is completed',
  'list.paused': 'A list is paused',
  'credits.low': 'Credits run low',
};

export function webhookState({
  enabled,
  disabled_because: because,
  failing_since: failing,
}: Webhook): string {
  if (!enabled) return because === 'owner' ? 'Off' : 'Switched off';
  return failing === null ? 'On' : 'Failing';
}

const outcomeTexts: Record<WebhookAttempt['outcome'], string> = {
  delivered: 'Delivered',
  answered: 'Refused',
  timeout: 'No answer within 15 seconds',
  connection_failed: 'No connection',
  closed_early: 'Connection closed without an answer',
  tls_failed: 'TLS failed: check the certificate',
  name_not_found: 'The host name does not exist',
  dns_failed: 'The host name could not be looked up',
  forbidden_address: 'The host name leads to an address that may not be contacted',
  https_required: 'Only https may be used for this address',
};

export function outcomeText({ outcome, status }: Pick<WebhookAttempt, 'outcome' | 'status'>): string {
  return status === null ? outcomeTexts[outcome] : `${outcomeTexts[outcome]} (HTTP ${status})`;
}
