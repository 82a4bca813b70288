/** Leases and reports: the rows, the probers and the network of the model in hand-over.ts. */
import type { Step } from '../explore.ts';
import { fault, step, type HandOver, type Holds, type Prober, type Report } from './hand-over-state.ts';

/** The end of a lease, and the end of a row without a waiting asker. */
export function rowSteps(state: HandOver, at: number, holds: Holds): Step<HandOver>[] {
  const row = state.rows[at];
  if (row === undefined || row.state === 'gone') return [];
  const steps: Step<HandOver>[] = [];
  if (row.state === 'leased' && !row.isOver && holds('a lease that is over is given to another'))
    steps.push(
      step(`lease of row ${at} is over`, state, (copy) => void ((copy.rows[at] ?? row).isOver = true)),
    );
  const asker = state.askers[row.asker];
  if (asker === undefined || asker.life === 'dead' || asker.row !== at || asker.at !== 'asking')
    steps.push(step(`row ${at} is erased`, state, (copy) => void ((copy.rows[at] ?? row).state = 'gone')));
  return steps;
}

export function proberSteps(state: HandOver, who: number, holds: Holds): Step<HandOver>[] {
  const prober = state.probers[who];
  if (prober === undefined || prober.life === 'dead') return [];
  const own = (name: string, change: (copy: HandOver, self: Prober) => void): Step<HandOver> =>
    step(`${name} ${who}`, state, (copy) => {
      const self = copy.probers[who];
      if (self !== undefined) change(copy, self);
    });
  if (prober.life === 'stopped') return [own('prober resumes', (_, self) => void (self.life = 'running'))];
  const steps: Step<HandOver>[] = [];
  for (const [at, row] of state.rows.entries()) {
    const isFree =
      row.state === 'waiting' ||
      (row.state === 'leased' && row.isOver) ||
      (row.state === 'answered' && !holds('what is answered is leased to nobody'));
    if (!isFree || (!prober.isEnrolled && holds('a prober that was removed leases nothing'))) continue;
    steps.push(own(`row ${at} is leased to`, (copy, self) => lease(copy, { at, who, self })));
    if (state.faultsLeft > 0)
      steps.push(
        fault(`row ${at} is leased, and not heard of, to ${who}`, state, (copy) => lease(copy, { at, who })),
      );
  }
  for (const [at, held] of prober.held.entries()) {
    if (!held.hasEvidence)
      steps.push(
        own(`row ${held.row} is asked by`, (_, self) => void ((self.held[at] ?? held).hasEvidence = true)),
      );
    const { row, isCurrent } = held;
    const isOnItsWay = state.reports.some((one) => one.from === who && one.row === row);
    if (held.hasEvidence && !isOnItsWay)
      steps.push(
        own(`row ${row} is reported by`, (copy) => void copy.reports.push({ from: who, row, isCurrent })),
      );
  }
  if (state.faultsLeft === 0) return steps;
  return [...steps, ...proberFaults(state, who)];
}

function proberFaults(state: HandOver, who: number): Step<HandOver>[] {
  const befall = (name: string, change: (copy: HandOver, self: Prober) => void): Step<HandOver> =>
    fault(`${name} ${who}`, state, (copy) => {
      const self = copy.probers[who];
      if (self !== undefined) change(copy, self);
    });
  return [
    befall('prober dies', (_, self) => void (self.life = 'dead')),
    befall('prober stands still', (_, self) => void (self.life = 'stopped')),
    befall('prober is removed', (_, self) => void (self.isEnrolled = false)),
    // A prober may guess rows that it was never given.
    ...state.rows.flatMap(({ holder }, row) =>
      holder === who
        ? []
        : [
            befall(
              `row ${row} is forged by`,
              (copy) => void copy.reports.push({ from: who, row, isCurrent: true }),
            ),
          ],
    ),
  ];
}

/** Leases a row with a new fence, so every earlier fence is stale from now on. */
function lease(copy: HandOver, { at, who, self }: { at: number; who: number; self?: Prober }): void {
  const row = copy.rows[at];
  if (row === undefined) return;
  if (row.state === 'answered') copy.broken = 'a probe is asked again although it was answered';
  if (copy.probers[who]?.isEnrolled === false)
    copy.broken = 'a probe was leased to a prober that was removed';
  Object.assign(row, { state: 'leased', holder: who, isOver: false });
  for (const prober of copy.probers)
    for (const held of prober.held) if (held.row === at) held.isCurrent = false;
  for (const report of copy.reports) if (report.row === at) report.isCurrent = false;
  if (self === undefined) return;
  self.held = self.held.filter((held) => held.row !== at);
  self.held.push({ row: at, isCurrent: true, hasEvidence: false });
}

/** The fates of a report: it reaches the store, is lost, or arrives twice. */
export function reportSteps(state: HandOver, at: number, holds: Holds): Step<HandOver>[] {
  const report = state.reports[at];
  if (report === undefined) return [];
  const name = `of row ${report.row} from ${report.from}`;
  const arrive = (copy: HandOver): void => takeReport(copy, report, holds);
  const steps = [
    step(`report ${name} arrives`, state, (copy) => {
      copy.reports.splice(at, 1);
      arrive(copy);
      const self = copy.probers[report.from];
      if (self?.life === 'running') self.held = self.held.filter((held) => held.row !== report.row);
    }),
  ];
  if (state.faultsLeft === 0) return steps;
  return [
    ...steps,
    fault(`report ${name} is lost`, state, (copy) => void copy.reports.splice(at, 1)),
    fault(`report ${name} is repeated`, state, arrive),
    fault(`report ${name} arrives, its answer is lost`, state, (copy) => {
      copy.reports.splice(at, 1);
      arrive(copy);
    }),
  ];
}

function takeReport(copy: HandOver, { from, row: at, isCurrent }: Report, holds: Holds): void {
  const row = copy.rows[at];
  const prober = copy.probers[from];
  if (row === undefined || prober === undefined || row.state === 'gone') return;
  const isLeased = row.state === 'leased';
  const isHolder = row.holder === from;
  if (!isLeased && holds('a report counts only while the row is leased')) return;
  if (!isHolder && holds('a report counts only from the holder')) return;
  if (!isCurrent && holds('a report counts only under its fence')) return;
  if (!prober.isEnrolled && holds('a report counts only from a prober that is enrolled')) return;
  if (!isHolder || !isCurrent) copy.broken = 'a report was taken from a prober that does not hold the probe';
  if (!prober.isEnrolled) copy.broken = 'a report was taken from a prober that was removed';
  row.state = 'answered';
  row.taken += 1;
  const asker = copy.askers[row.asker];
  if (asker !== undefined && asker.row === at) asker.isNotified = true;
}
