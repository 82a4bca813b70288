import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../support/random.ts';
import type { Installation } from './open-installation.ts';
import { enrolAndRemove } from './remove-prober.ts';
import type { ServiceProcess } from './service-process.ts';
import { untilDone } from './until-done.ts';

/** The faults of an installation under load. Each ends when it is over and all processes that it hit are up again. */
export const faultKinds = [
  'kill_api',
  'kill_worker',
  'stop_worker',
  'halt_database',
  'cut_connections',
  'skew_clock',
] as const;

/** The faults of an installation's probers. */
export const proberFaultKinds = ['kill_prober', 'stop_prober', 'cut_prober', 'remove_prober'] as const;

export type FaultKind = (typeof faultKinds)[number] | (typeof proberFaultKinds)[number];

/** Faults after which the service cannot know whether its last commit happened. */
export const breaksLines: ReadonlySet<FaultKind> = new Set(['halt_database', 'cut_connections']);

/** Longer than a lease (30 s), so that others take over the tasks before it wakes. */
const stoppedMs = 35_000;
const skewMs = 120_000;
/**
 * Longer than the lease of an egress address (34 s) and of a probe (60 s): other probers have all of its work by
 * then.
 */
const proberStoppedMs = 90_000;

const endEveryLine = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid <> pg_backend_pid() and backend_type = 'client backend'`;
const endLinesOf = `${endEveryLine} and application_name = $1`;

async function stopFor(one: ServiceProcess, ms: number): Promise<void> {
  one.pause();
  await sleep(ms);
  one.resume();
}

type Nemesis = { inflict: (kind: FaultKind) => Promise<void> };

export function createNemesis(
  installation: Installation,
  random: Random,
  onViolation: (what: string) => void,
): Nemesis {
  /** Processes that a fault has hit already. */
  const hit = new Set<ServiceProcess>();

  async function hitOne(
    processes: ServiceProcess[],
    harm: (one: ServiceProcess) => Promise<void>,
  ): Promise<void> {
    const [first, ...rest] = processes.filter((one) => !hit.has(one));
    if (first === undefined) return;
    const one = random.oneOf([first, ...rest]);
    hit.add(one);
    await harm(one);
    hit.delete(one);
  }

  async function killAndStart(one: ServiceProcess, skewed = 0): Promise<void> {
    await one.kill();
    await sleep(random.below(1_500));
    await one.start(skewed);
  }

  async function haltDatabase(): Promise<void> {
    await installation.postgres.halt('immediate');
    await sleep(500 + random.below(3_500));
    await installation.postgres.resume();
  }

  async function cutConnections(): Promise<void> {
    for (let cuts = 1 + random.below(3); cuts > 0; cuts -= 1) {
      await untilDone(() => installation.query(endEveryLine));
      await sleep(random.below(400));
    }
  }

  /** Cuts it off repeatedly for a while, so that reports are lost on their way and sent again. */
  async function cutOff(one: ServiceProcess): Promise<void> {
    for (let cuts = 5 + random.below(10); cuts > 0; cuts -= 1) {
      await untilDone(() => installation.query(endLinesOf, [one.name]));
      await sleep(random.below(400));
    }
  }

  return {
    inflict: (kind) => {
      switch (kind) {
        case 'kill_api':
          return hitOne(installation.apis, (one) => killAndStart(one));
        case 'kill_worker':
          return hitOne(installation.workers, (one) => killAndStart(one));
        case 'stop_worker':
          return hitOne(installation.workers, (one) => stopFor(one, stoppedMs));
        case 'kill_prober':
          return hitOne(installation.probers, (one) => killAndStart(one));
        case 'stop_prober':
          return hitOne(installation.probers, (one) => stopFor(one, proberStoppedMs));
        case 'cut_prober':
          return hitOne(installation.probers, cutOff);
        case 'remove_prober':
          return enrolAndRemove(installation).then((wrong) => wrong.forEach(onViolation));
        case 'halt_database':
          return haltDatabase();
        case 'cut_connections':
          return cutConnections();
        case 'skew_clock':
          return hitOne(installation.workers, (one) =>
            killAndStart(one, random.chance(0.5) ? skewMs : -skewMs),
          );
      }
    },
  };
}
