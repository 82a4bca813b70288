import type { Engine } from '@mailproof/engine';
import type { Tx } from '../../core/store/statement.ts';
import { noteEgressFigures, noteEgressProblem, noteHandOver } from './egress-addresses.ts';

/** Records that the owner of egress addresses writes beside its leases: problems, figures and hand-overs. */
export type EgressNotes = {
  /** Problems by egress address, if nothing can be asked from it. */
  problems: ReadonlyMap<string, string>;
  /** Figures last written for the operator, by egress address. */
  figures: ReadonlyMap<string, string>;
};

type NoteParts = {
  engine: Pick<Engine, 'egress'>;
  ours: ReadonlySet<string>;
  /** Notes of the previous write. */
  notes: EgressNotes;
};

type At = { owner: string; now: number };

/** Hosts named in the hand-over, which is written every two seconds; others count with the largest of their counts. */
const hostsWrittenDown = 500;

/** Writes changed notes, and returns whether other processes would act on them. */
export async function noteAll(
  tx: Tx,
  at: At,
  parts: NoteParts,
): Promise<{ notes: EgressNotes; isNews: boolean }> {
  const { engine, ours, notes: before } = parts;
  // Taken together, because their ages count from the time that is written beside them.
  const left = [...ours].map((name) => ({ name, handOver: engine.egress.handOver(name, hostsWrittenDown) }));
  for (const one of left) await noteHandOver(tx, one, at);
  const problems = await noteProblems(tx, at, parts);
  const figures = await noteFigures(tx, at, parts);
  return { notes: { problems, figures }, isNews: !isSame(problems, before.problems) };
}

async function noteProblems(
  tx: Tx,
  at: At,
  { engine, ours, notes }: NoteParts,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of ours) {
    const whyNot = engine.egress.problem(name) ?? '';
    if (whyNot !== '') found.set(name, whyNot);
    if (whyNot !== (notes.problems.get(name) ?? '')) await noteEgressProblem(tx, { name, whyNot }, at);
  }
  return found;
}

/** Writes figures for the operator; no process acts on them. */
async function noteFigures(tx: Tx, at: At, { engine, ours, notes }: NoteParts): Promise<Map<string, string>> {
  const noted = new Map<string, string>();
  for (const name of ours) {
    const figures = { conversations: engine.egress.conversations(name), resting: engine.egress.resting() };
    const text = JSON.stringify(figures);
    noted.set(name, text);
    if (notes.figures.get(name) !== text) await noteEgressFigures(tx, { name, ...figures }, at);
  }
  return noted;
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, whyNot]) => other.get(name) === whyNot);
}
