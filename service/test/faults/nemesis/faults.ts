import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../endurance/dice.ts';
import type { Fleet } from './fleet.ts';
import type { Member } from './member.ts';

/** What is done to an installation under load. Each ends when it is over and whatever it hit is up again. */
export const faultKinds = [
  'kill_api',
  'kill_worker',
  'stop_worker',
  'halt_database',
  'cut_connections',
  'skew_clock',
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** Those after which the service cannot know whether its last commit happened. */
export const breaksLines: ReadonlySet<FaultKind> = new Set(['halt_database', 'cut_connections']);

/** Longer than a lease (30 s), so that others take the tasks over before it wakes. */
const stoppedMs = 35_000;
const skewMs = 120_000;

const endEveryLine = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid <> pg_backend_pid() and backend_type = 'client backend'`;

/** The database may be away for another reason: then it is tried again. */
async function untilDone(work: () => Promise<unknown>): Promise<void> {
  for (let triesLeft = 100; ; triesLeft -= 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (triesLeft === 0) throw error;
      await sleep(100);
    }
  }
}

type Nemesis = { inflict: (kind: FaultKind) => Promise<void> };

export function createNemesis(fleet: Fleet, dice: Dice): Nemesis {
  /** Under a fault already. */
  const hit = new Set<Member>();

  async function hitOne(members: Member[], harm: (member: Member) => Promise<void>): Promise<void> {
    const [first, ...rest] = members.filter((member) => !hit.has(member));
    if (first === undefined) return;
    const member = dice.oneOf([first, ...rest]);
    hit.add(member);
    await harm(member);
    hit.delete(member);
  }

  async function killAndStart(member: Member, skewed = 0): Promise<void> {
    await member.kill();
    await sleep(dice.below(1_500));
    await member.start(skewed);
  }

  async function haltDatabase(): Promise<void> {
    await fleet.postgres.halt('immediate');
    await sleep(500 + dice.below(3_500));
    await fleet.postgres.resume();
  }

  async function cutConnections(): Promise<void> {
    for (let cuts = 1 + dice.below(3); cuts > 0; cuts -= 1) {
      await untilDone(() => fleet.query(endEveryLine));
      await sleep(dice.below(400));
    }
  }

  async function stopForLong(member: Member): Promise<void> {
    member.pause();
    await sleep(stoppedMs);
    member.resume();
  }

  return {
    inflict: (kind) => {
      switch (kind) {
        case 'kill_api':
          return hitOne(fleet.apis, (member) => killAndStart(member));
        case 'kill_worker':
          return hitOne(fleet.workers, (member) => killAndStart(member));
        case 'stop_worker':
          return hitOne(fleet.workers, stopForLong);
        case 'halt_database':
          return haltDatabase();
        case 'cut_connections':
          return cutConnections();
        case 'skew_clock':
          return hitOne(fleet.workers, (member) => killAndStart(member, dice.chance(0.5) ? skewMs : -skewMs));
      }
    },
  };
}
