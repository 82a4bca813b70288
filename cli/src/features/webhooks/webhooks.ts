import type { Client, WantedEventType, Webhook, WebhookChange, WebhookDelivery } from '@mailproof/client';
import {
  defineCommand,
  exitCodes,
  type CommandGroup,
  type ExitCode,
  type Surroundings,
} from '../../command.ts';
import { clientOptions, openClient, ServiceProblem, tellProblems } from '../../api/connection.ts';
import { counted, printable } from '../../present/text.ts';

const json = { type: 'flag', meaning: 'print JSON, as the API returns it' } as const;

type Given = { url: string | undefined; 'key-file': string | undefined };

/** Connects, does the work, and tells in one line what stopped it. */
function withWebhooks(
  given: Given,
  surroundings: Surroundings,
  work: (webhooks: Client['webhooks']) => Promise<ExitCode>,
): Promise<ExitCode> {
  return tellProblems(
    async () => work((await openClient(given, surroundings)).webhooks),
    surroundings,
    'Try again.',
  );
}

async function print(text: string, { terminal }: Surroundings): Promise<ExitCode> {
  await terminal.write(`${text}\n`);
  return exitCodes.ok;
}

const list = defineCommand({
  name: 'webhooks list',
  takes: '[--json]',
  summary: 'list the endpoints of the account; the same as webhooks alone',
  options: { json: { type: 'flag', meaning: 'print one endpoint per line' }, ...clientOptions },
  examples: ['mailproof webhooks'],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) =>
    withWebhooks(options, surroundings, async (webhooks) => {
      const { webhooks: all } = await webhooks.list({ signal: surroundings.signal });
      for (const one of all)
        await print(options.json ? JSON.stringify(one) : presentWebhook(one), surroundings);
      if (all.length === 0)
        surroundings.terminal.tell('No webhooks yet. To create one, run mailproof webhooks create URL.');
      return exitCodes.ok;
    }),
});

const eventOptions = {
  events: {
    type: 'text',
    placeholder: 'EVENTS',
    meaning: 'task.completed, list.completed, list.paused, credits.low, with commas between them',
  },
  'credits-low-at': {
    type: 'text',
    placeholder: 'N',
    meaning: 'send credits.low when fewer than N credits are available (default: 100)',
  },
} as const;

const create = defineCommand({
  name: 'webhooks create',
  takes: 'ENDPOINT [--events EVENTS] [OPTIONS]',
  summary: 'create an endpoint; its secret is shown once',
  options: { ...eventOptions, json, ...clientOptions },
  notes: ['ENDPOINT is an https URL of yours. Without --events it gets task.completed and list.completed.'],
  examples: ['mailproof webhooks create https://hooks.example.com/ --events credits.low'],
  words: { required: ['ENDPOINT'], most: 1 },
  run: ({ options, positionals: [url = ''], ...surroundings }) =>
    withWebhooks(options, surroundings, async (webhooks) => {
      const events = readEvents(options.events ?? 'task.completed,list.completed');
      const order = { url, events, ...thresholdOf(options['credits-low-at']) };
      const created = await webhooks.create(order, { signal: surroundings.signal });
      if (options.json) return print(JSON.stringify(created), surroundings);
      surroundings.terminal.tell('Save this secret now. It will not be shown again.');
      return print(`${presentWebhook(created)}\n${created.secret}`, surroundings);
    }),
});

const change = defineCommand({
  name: 'webhooks change',
  takes: 'ID [--on | --off] [--events EVENTS] [OPTIONS]',
  summary: 'change an endpoint, or switch it on or off',
  options: {
    endpoint: { type: 'text', placeholder: 'URL', meaning: 'its new URL' },
    ...eventOptions,
    on: { type: 'flag', meaning: 'switch it on' },
    off: { type: 'flag', meaning: 'switch it off; waiting messages are dropped' },
    json,
    ...clientOptions,
  },
  examples: ['mailproof webhooks change ID --off'],
  words: { required: ['ID'], most: 1 },
  run: ({ options, positionals: [id = ''], ...surroundings }) =>
    withWebhooks(options, surroundings, async (webhooks) => {
      if (options.on && options.off)
        throw new ServiceProblem(exitCodes.usage, '--on and --off exclude each other');
      const wish: WebhookChange = {
        ...(options.endpoint === undefined ? {} : { url: options.endpoint }),
        ...(options.events === undefined ? {} : { events: readEvents(options.events) }),
        ...thresholdOf(options['credits-low-at']),
        ...(options.on || options.off ? { enabled: options.on } : {}),
      };
      const changed = await webhooks.change(id, wish, { signal: surroundings.signal });
      return print(options.json ? JSON.stringify(changed) : presentWebhook(changed), surroundings);
    }),
});

const rotate = defineCommand({
  name: 'webhooks rotate-secret',
  takes: 'ID [--json]',
  summary: 'make a new secret; for a day messages are signed with both',
  options: { json: { type: 'flag', meaning: '{secret, previous_secret_until}' }, ...clientOptions },
  examples: ['mailproof webhooks rotate-secret ID'],
  words: { required: ['ID'], most: 1 },
  run: ({ options, positionals: [id = ''], ...surroundings }) =>
    withWebhooks(options, surroundings, async (webhooks) => {
      const rotated = await webhooks.rotateSecret(id, { signal: surroundings.signal });
      if (options.json) return print(JSON.stringify(rotated), surroundings);
      const until = rotated.previous_secret_until;
      surroundings.terminal.tell(
        `Save this secret now. Until ${until}, messages are signed with the previous one too.`,
      );
      return print(rotated.secret, surroundings);
    }),
});

const test = defineCommand({
  name: 'webhooks test',
  takes: 'ID [--json]',
  summary: 'send a test message',
  options: { json, ...clientOptions },
  examples: ['mailproof webhooks test ID'],
  words: { required: ['ID'], most: 1 },
  run: ({ options, positionals: [id = ''], ...surroundings }) =>
    withWebhooks(options, surroundings, async (webhooks) => {
      const sent = await webhooks.test(id, { signal: surroundings.signal });
      return print(options.json ? JSON.stringify(sent) : presentDelivery(sent), surroundings);
    }),
});

const deliveries = defineCommand({
  name: 'webhooks deliveries',
  takes: 'ID [--json]',
  summary: 'show the deliveries to an endpoint, newest first',
  options: { json: { type: 'flag', meaning: 'print one delivery per line' }, ...clientOptions },
  examples: ['mailproof webhooks deliveries ID'],
  words: { required: ['ID'], most: 1 },
  run: ({ options, positionals: [id = ''], ...surroundings }) =>
    withWebhooks(options, surroundings, async (webhooks) => {
      const { signal } = surroundings;
      for (let before: string | undefined | null; before !== null;) {
        const page = await webhooks.deliveries(id, { before, signal });
        for (const one of page.deliveries)
          await print(options.json ? JSON.stringify(one) : presentDelivery(one), surroundings);
        before = page.next;
      }
      return exitCodes.ok;
    }),
});

const send = defineCommand({
  name: 'webhooks send',
  takes: 'ID DELIVERY_ID [--json]',
  summary: 'send a message again, under the same id',
  options: { json, ...clientOptions },
  examples: ['mailproof webhooks send ID DELIVERY_ID'],
  words: { required: ['ID', 'DELIVERY_ID'], most: 2 },
  run: ({ options, positionals: [id = '', deliveryId = ''], ...surroundings }) =>
    withWebhooks(options, surroundings, async (webhooks) => {
      const sent = await webhooks.send(id, deliveryId, { signal: surroundings.signal });
      return print(options.json ? JSON.stringify(sent) : presentDelivery(sent), surroundings);
    }),
});

const remove = defineCommand({
  name: 'webhooks delete',
  takes: 'ID [--json]',
  summary: 'delete an endpoint and its deliveries',
  options: { json: { type: 'flag', meaning: 'print {webhook_id}' }, ...clientOptions },
  examples: ['mailproof webhooks delete ID'],
  words: { required: ['ID'], most: 1 },
  run: ({ options, positionals: [id = ''], ...surroundings }) =>
    withWebhooks(options, surroundings, async (webhooks) => {
      await webhooks.delete(id, { signal: surroundings.signal });
      return print(options.json ? JSON.stringify({ webhook_id: id }) : `Deleted ${id}`, surroundings);
    }),
});

export const webhooksCommand: CommandGroup = {
  kind: 'group',
  name: 'webhooks',
  summary: 'manage the endpoints that a service calls when something happens',
  byDefault: 'list',
  actions: { list, create, change, 'rotate-secret': rotate, test, deliveries, send, delete: remove },
};

/** Which events there are is for the service to say; the type is what it checks them against. */
function readEvents(text: string): WantedEventType[] {
  return text.split(',').map((event) => event.trim() as WantedEventType);
}

function thresholdOf(text: string | undefined): { credits_low_at?: number } {
  if (text === undefined) return {};
  const credits = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (credits >= 1) return { credits_low_at: credits };
  throw new ServiceProblem(exitCodes.usage, '--credits-low-at must be a whole number from 1 on');
}

const states = { owner: 'off', gone: 'off: it answered 410', failing: 'off: it failed for days' } as const;

/** An endpoint on one line. */
function presentWebhook(webhook: Webhook): string {
  const { webhook_id: id, url, events, credits_low_at: threshold, failing_since: failing } = webhook;
  const state = webhook.disabled_because === null ? 'on' : states[webhook.disabled_because];
  const trouble = webhook.enabled && failing !== null ? `, failing since ${failing}` : '';
  const wants = events.map((event) => (event === 'credits.low' ? `${event} at ${threshold ?? ''}` : event));
  return `${id}  ${state}${trouble}  ${printable(url)}  ${wants.join(', ')}`;
}

/** Presents a delivery on one line: its time, event and state, and the last attempt. */
function presentDelivery(delivery: WebhookDelivery): string {
  const { delivery_id: id, type, state, attempts, created_at: at, next_attempt_at: next } = delivery;
  const last = attempts.at(-1);
  const ending = last === undefined ? '' : `, ${last.status === null ? last.outcome : `HTTP ${last.status}`}`;
  const again = next === null || attempts.length === 0 ? '' : `, again at ${next}`;
  return `${id}  ${at}  ${type}  ${state} (${counted(attempts.length, 'attempt')}${ending}${again})`;
}
