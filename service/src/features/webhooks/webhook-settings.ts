import type { Cidr } from '@mailproof/engine';
import type { SettingTable } from '../../core/config/config.ts';
import { cidrBlocks } from '../../core/config/usual-values.ts';

type WebhookConfig = { webhookEgressAllow: Cidr[] };

declare module '../../core/config/config.ts' {
  interface Config extends WebhookConfig {}
}

export const webhookSettings: SettingTable<WebhookConfig> = {
  webhookEgressAllow: {
    names: ['MAILPROOF_WEBHOOK_EGRESS_ALLOW'],
    meaning: 'blocks outside public address space in which any account may have webhook endpoints',
    ...cidrBlocks,
  },
};
