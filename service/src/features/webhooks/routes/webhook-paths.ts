export const webhooksPath = '/api/v1/webhooks';
export const webhookPath = '/api/v1/webhooks/:webhookId';
export const webhookSecretPath = '/api/v1/webhooks/:webhookId/rotate-secret';
export const webhookTestPath = '/api/v1/webhooks/:webhookId/test';
export const webhookDeliveriesPath = '/api/v1/webhooks/:webhookId/deliveries';
export const webhookDeliverySendPath = '/api/v1/webhooks/:webhookId/deliveries/:deliveryId/send';
