import {
  countWorkers,
  hasOwner,
  lookAtUpgrade,
  proveStoreWritable,
  readDoubtedProviders,
  readEgress,
  readLivingRoles,
  readRestingRoutes,
  readUntrustedPeer,
  StoreOpenError,
  type EgressAddress,
  type RestingRoute,
  type WriteProof,
} from '@mailproof/service';
import { lookAtStore, type DoctorParts, type Finding } from './doctor-parts.ts';

type StoreParts = Pick<DoctorParts, 'config'>;

/** The database as the service needs it: it takes writes, and has the schema of this version. Changes neither. */
export async function checkStore({ config }: StoreParts): Promise<Finding[]> {
  const check = 'database';
  const proof = await proveStoreWritable(config);
  switch (proof.kind) {
    case 'no_database':
      return [{ check, state: 'not_checked', seen: 'there is none yet; the first start makes it' }];
    case 'not_writable':
      return [{ check, state: 'problem', seen: proof.line, remedy: remedyFor(proof) }];
    case 'writable':
      return [{ check, state: 'ok', seen: 'takes writes' }, ...(await checkSchema({ config }))];
  }
}

function remedyFor({ fault }: WriteProof & { kind: 'not_writable' }): string {
  switch (fault) {
    case 'full':
      return 'Make room on the disk of the database. The service recovers by itself.';
    case 'busy':
      return 'End the program or session that holds the lock (PostgreSQL: select pg_terminate_backend(SESSION)).';
    case 'not_writable':
      return 'Make its files writable for this user. With PostgreSQL: connect to the primary, not to a standby.';
    case 'corrupt':
      return 'Restore a backup: mailproof restore.';
    case 'unreachable':
      return 'Start the database, or correct MAILPROOF_DATABASE_URL.';
    case 'failing':
    case 'closed':
    case 'overloaded':
    case 'slow':
    case 'unconfirmed':
    case 'conflict':
      return 'Look at the log of the database, its disk and its load.';
  }
}

/** Only `migrate` and `serve` change the schema, so that a version before can go on serving. */
async function checkSchema({ config }: StoreParts): Promise<Finding[]> {
  const plan = await lookAtUpgrade(config);
  if (plan.kind !== 'migrates' && plan.kind !== 'too_new') return [];
  return [
    {
      check: 'schema',
      state: plan.kind === 'too_new' ? 'problem' : 'warning',
      seen: `the database has schema ${plan.version}, and this version of Mailproof works on ${plan.known}`,
      remedy:
        plan.kind === 'too_new'
          ? 'Run the version that wrote it.'
          : 'Run mailproof upgrade --check, then mailproof migrate.',
    },
  ];
}

/** Processes of the service that run on the database now: without a worker, tasks and lists wait. */
export async function checkWorkers({ config }: StoreParts): Promise<Finding[]> {
  const check = 'workers';
  try {
    const living = await readLivingRoles(config);
    const workers = countWorkers(living);
    if (living.length === 0) return [{ check, state: 'not_checked', seen: 'no service is running now' }];
    if (workers > 0) return [{ check, state: 'ok', seen: `${workers} running` }];
    return [
      {
        check,
        state: 'problem',
        seen: 'none is running: tasks, lists and webhooks wait',
        remedy: 'Start mailproof serve --role worker, or one process with the role all.',
      },
    ];
  } catch (error) {
    if (error instanceof StoreOpenError) return [{ check, state: 'not_checked', seen: error.line }];
    throw error;
  }
}

/**
 * Lists the egress addresses in use, as the running service notes them, and the reason if one cannot ask. Only reads.
 */
export async function checkProbers({ config }: Pick<DoctorParts, 'config'>): Promise<Finding[]> {
  try {
    const rows = (await lookAtStore(config, ({ read }) => readEgress(read))) ?? [];
    const now = Date.now();
    return findingsOfProbers(rows.filter((row) => hasOwner(row, now)));
  } catch (error) {
    if (error instanceof StoreOpenError)
      return [{ check: 'probers', state: 'not_checked', seen: error.line }];
    throw error;
  }
}

function findingsOfProbers(owned: EgressAddress[]): Finding[] {
  const unwell = owned.filter(({ well }) => !well);
  if (owned.length === 0) return [{ check: 'probers', state: 'not_checked', seen: 'none is running now' }];
  if (unwell.length === 0)
    return [
      { check: 'probers', state: 'ok', seen: `can ask from ${owned.map(({ name }) => name).join(', ')}` },
    ];
  // If another address can ask, verdicts go on.
  const state = unwell.length === owned.length ? 'problem' : 'warning';
  return unwell.map(({ name, whyNot }) => ({
    check: 'probers',
    state,
    seen: `${name} cannot ask: ${whyNot.replaceAll('_', ' ')}`,
    remedy: remedyForProber(whyNot),
  }));
}

function remedyForProber(whyNot: string): string {
  if (whyNot === 'mail_port_blocked')
    return 'Ask the hosting provider to open outbound port 25, or run a prober where it is open (mailproof serve --role prober, or mailproof prober).';
  if (whyNot === 'identity_unproven')
    return 'Set MAILPROOF_HELO_NAME, MAILPROOF_MAIL_FROM and, behind NAT, MAILPROOF_PUBLIC_ADDRESS where it runs; mailproof doctor there says what is wrong.';
  if (whyNot === 'resting')
    return 'Ask the providers to delist the IP address, and check its reputation. Do not switch to another address to get around the block.';
  return 'Check the log of the process or prober that owns it.';
}

/** Egress routes that are paused because providers block them, as the service last noted. Only reads; creates no store. */
export async function checkRoutes({ config }: Pick<DoctorParts, 'config'>): Promise<Finding[]> {
  try {
    const resting = await lookAtStore(config, (store) => readRestingRoutes({ store, wallClock: Date }));
    return resting === undefined
      ? [{ check: 'routes', state: 'not_checked', seen: `no service has run on this ${placeOf(config)} yet` }]
      : findingsOfRoutes(resting);
  } catch (error) {
    if (error instanceof StoreOpenError) return [{ check: 'routes', state: 'not_checked', seen: error.line }];
    throw error;
  }
}

function findingsOfRoutes(resting: RestingRoute[]): Finding[] {
  if (resting.length === 0) return [{ check: 'routes', state: 'ok', seen: 'none is paused' }];
  return resting.map((route) => ({
    check: 'routes',
    state: 'warning',
    seen: `${route.route} ${describeRest(route)}`,
    remedy:
      'Ask the providers to delist the IP address, and check its reputation. Do not switch to another address to get around the block.',
  }));
}

function placeOf({ databaseUrl }: DoctorParts['config']): string {
  return databaseUrl === undefined ? 'data directory' : 'database';
}

function describeRest({ until, groups }: RestingRoute): string {
  return until > 0
    ? `is paused until ${new Date(until).toISOString()} because several providers block it`
    : `is blocked by ${groups.join(', ')}`;
}

/** Providers that reject the operator's control mailboxes, as the service last noted. Says nothing if none does. */
export async function checkControls({ config }: Pick<DoctorParts, 'config'>): Promise<Finding[]> {
  const doubted = await readDoubted(config);
  return doubted.map((provider) => ({
    check: 'control mailboxes',
    state: 'warning',
    seen: `${provider} rejects a mailbox that you named as living, so its "no such mailbox" is not believed`,
    remedy:
      'Check whether the mailbox still exists, and take it out of "controls" in the providers file if not. Otherwise wait until the provider accepts it again.',
  }));
}

/** The check of the routes reports a store that cannot be read. */
async function readDoubted(config: DoctorParts['config']): Promise<string[]> {
  try {
    const read = await lookAtStore(config, (store) => readDoubtedProviders({ store, wallClock: Date }));
    return read ?? [];
  } catch (error) {
    if (error instanceof StoreOpenError) return [];
    throw error;
  }
}

/** A peer that sent forwarding headers within a day without being trusted. Says nothing if there was none. */
export async function checkProxies({ config }: Pick<DoctorParts, 'config'>): Promise<Finding[]> {
  const { trustedProxies } = config;
  try {
    const peer = await lookAtStore(config, (store) =>
      readUntrustedPeer({ store, wallClock: Date, trustedProxies }),
    );
    return peer === undefined ? [] : [findingOfPeer(peer)];
  } catch (error) {
    // The check of the probers reports a store that cannot be read.
    if (error instanceof StoreOpenError) return [];
    throw error;
  }
}

function findingOfPeer(peer: string): Finding {
  return {
    check: 'trusted proxies',
    state: 'warning',
    seen: `${peer} sends forwarding headers but is not in MAILPROOF_TRUSTED_PROXIES, so all clients behind it count as one`,
    remedy: `If ${peer} is your proxy, set MAILPROOF_TRUSTED_PROXIES to it. If not, the headers are forged, and they are ignored.`,
  };
}
