import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStandIn, type Fault, type StandIn } from '@mailproof/client/stand-in';
import { runMailproof, startMailproof } from '../../../service/test/support/mailproof.ts';
import { createRandom } from '../../../service/test/support/random.ts';
import { makeRows } from './make-list.ts';

type KillOrder = { rows: number; kills: number; seed: number };

type KillReport = {
  kills: number;
  /** Runs that came to their end before they were to be killed; the list was then begun anew. */
  completed: number;
  /** The differences from the undisturbed run; the promise is none. */
  differences: string[];
};

/**
 * Kills a check (SIGKILL) again and again, a few milliseconds after a random request. The service also refuses
 * requests and loses some. Each list that comes to its end is compared with an undisturbed run: the same bytes, the
 * same credits.
 */
export async function runKillRounds({ rows, kills, seed }: KillOrder): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-kills-'));
  const { next: random } = createRandom(seed);
  const list = join(folder, 'list.csv');
  writeFileSync(list, [...makeRows(rows)].join(''));
  const undisturbed = await runUndisturbed(list, join(folder, 'undisturbed.csv'));
  const report: KillReport = { kills: 0, completed: 0, differences: [] };
  try {
    while (report.kills < kills && report.differences.length === 0)
      await checkOnce({ folder, list, undisturbed, random, kills, report });
  } finally {
    rmSync(folder, { recursive: true });
  }
  return report;
}

type Undisturbed = { output: string; spent: number; addresses: number };

async function runUndisturbed(list: string, output: string): Promise<Undisturbed> {
  const standIn = await startStandIn();
  const { code, stderr } = await runMailproof(argumentsFor(list, output), { env: environmentFor(standIn) });
  await standIn.stop();
  if (code !== 0) throw new Error(`the undisturbed run ended with ${String(code)}: ${stderr}`);
  const { spent, verified } = standIn.counts;
  return { output: readFileSync(output, 'latin1'), spent, addresses: verified };
}

type Round = {
  folder: string;
  list: string;
  undisturbed: Undisturbed;
  random: () => number;
  kills: number;
  report: KillReport;
};

/** Checks one list to its end, however many runs that takes. After enough kills a run is left alone. */
async function checkOnce({ folder, list, undisturbed, random, kills, report }: Round): Promise<void> {
  const output = join(folder, 'checked.csv');
  let onRequest = (): void => undefined;
  const standIn = await startStandIn({
    looksPerTask: 3,
    faultOf: () => {
      onRequest();
      return someFault(random());
    },
  });
  rmSync(output, { force: true });
  for (;;) {
    const { child, ended } = startMailproof(argumentsFor(list, output), { env: environmentFor(standIn) });
    if (report.kills < kills)
      onRequest = afterSome(Math.ceil(random() * 8), () => {
        setTimeout(() => child.kill('SIGKILL'), random() * 40);
      });
    const { code, stderr } = await ended;
    if (child.signalCode === 'SIGKILL') report.kills += 1;
    else if (code !== 0) report.differences.push(`a run ended with ${String(code)}: ${stderr}`);
    // Killed after its last step, it is done all the same.
    if (existsSync(output) || report.differences.length > 0) break;
  }
  await standIn.stop();
  if (report.differences.length > 0) return;
  report.completed += 1;
  report.differences.push(...compare(readFileSync(output, 'latin1'), standIn, undisturbed));
}

function compare(output: string, { counts }: StandIn, undisturbed: Undisturbed): string[] {
  return [
    ...(output === undisturbed.output ? [] : ['the output differs']),
    ...(counts.spent === undisturbed.spent ? [] : [`${counts.spent} spent, not ${undisturbed.spent}`]),
    ...(counts.verified === undisturbed.addresses ? [] : [`${counts.verified} verified`]),
    ...(counts.lists === 1 ? [] : [`${counts.lists} lists`]),
  ];
}

function argumentsFor(list: string, output: string): string[] {
  return ['check', list, '--output', output, '--yes'];
}

function environmentFor({ url, apiKey }: StandIn): Record<string, string> {
  return { MAILPROOF_URL: url, MAILPROOF_API_KEY: apiKey };
}

function someFault(chance: number): Fault {
  if (chance < 0.04) return 'refuse';
  if (chance < 0.06) return 'lose_request';
  return chance < 0.08 ? 'lose_answer' : 'none';
}

function afterSome(count: number, act: () => void): () => void {
  let left = count;
  return () => {
    left -= 1;
    if (left === 0) act();
  };
}
