import {
  createResolver,
  defaultLimits,
  parseCidr,
  parseDnsServer,
  systemClock,
  type Clock,
} from '@mailproof/engine';
import { openStore, type OpenStoreOptions } from '../../../src/start/open-store.ts';
import { createDeliverySender } from '../../../src/features/webhooks/send-deliveries.ts';
import { createSendRequest } from '../../../src/features/webhooks/send-request.ts';
import { startWorker } from '../../../src/core/verify/worker/start-worker.ts';

/**
 * A process that sends webhooks until it is killed: `sending-process.ts SETTINGS`, in JSON. Its parent moves the time of
 * day on, so that 75 hours pass in a minute; a message that hangs is given up a hundred times sooner.
 */
export type SendingSettings = {
  opening: OpenStoreOptions;
  dnsServer: string;
  /** The one block that the operator has opened. */
  allow: string;
  aheadMs: number;
};

const settings = JSON.parse(process.argv[2] ?? '') as SendingSettings;
let { aheadMs } = settings;
process.on('message', (ahead) => (aheadMs = Number(ahead)));
// A test that is broken off leaves no process behind.
process.once('disconnect', () => process.exit());
const wallClock = { now: () => Date.now() + aheadMs };

const hundredTimes = 100;
const fastClock: Clock = {
  now: () => systemClock.now() * hundredTimes,
  after: (ms, callback) => systemClock.after(ms / hundredTimes, callback),
};

const server = parseDnsServer(settings.dnsServer);
const block = parseCidr(settings.allow);
if (server === undefined || block === undefined) throw new Error('settings that cannot be read');
const resolver = createResolver({ servers: [server], clock: systemClock, limits: defaultLimits });
/** A look-up keeps to the real time: its packets do. */
const inRealTime = { deadline: Infinity, signal: new AbortController().signal };
const store = await openStore(settings.opening);
const sender = createDeliverySender({
  store,
  send: createSendRequest({
    resolver: {
      ipv4: (name) => resolver.uncached.ipv4(name, inRealTime),
      ipv6: (name) => resolver.uncached.ipv6(name, inRealTime),
    },
    clock: fastClock,
    egressAllow: [block],
    ownAddresses: () => [],
  }),
  processId: `process-${process.pid}`,
  clock: systemClock,
  wallClock,
  random: Math.random,
  onProblem: (message, error) => process.stderr.write(`${message} ${String(error)}\n`),
});
startWorker({
  ...sender,
  clock: systemClock,
  limits: { tasksAtOnce: 32, pollMs: 50, drainMs: 1_000 },
  onProblem: (message, error) => process.stderr.write(`${message} ${String(error)}\n`),
});
process.stdout.write('sending\n');
