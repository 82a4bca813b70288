import {
  countWorkers,
  lookAtUpgrade,
  proveStoreWritable,
  readLivingRoles,
  StoreOpenError,
  type WriteProof,
} from '@mailproof/service';
import type { DoctorParts, Finding } from './check.ts';

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
