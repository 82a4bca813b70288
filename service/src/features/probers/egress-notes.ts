import type { Engine } from '@mailproof/engine';
import type { Tx } from '../../core/store/statement.ts';
import { noteEgressFigures, noteEgressProblem, noteHandOver } from './egress-addresses.ts';

/** What the owner of egress addresses writes beside its leases: why it cannot ask, figures, and what the next should know. */
export type EgressNotes = {
  /** Why nothing can be asked from an address, by its name. */
  problems: ReadonlyMap<string, string>;
  /** What was last written of each address for the operator. */
  figures: ReadonlyMap<string, string>;
};

type NoteParts = {
  engine: Pick<Engine, 'egress'>;
  ours: ReadonlySet<string>;
  /** What was written before. */
  notes: EgressNotes;
};

type At = { owner: string; now: number };

/** Hosts that are named in what an owner writes down every two seconds; the next one knows the most of all others. */
const hostsWrittenDown = 500;

/** Writes what is new, and tells whether others would act upon it. */
export async function noteAll(
  tx: Tx,
  at: At,
  parts: NoteParts,
): Promise<{ notes: EgressNotes; isNews: boolean }> {
  const { engine, ours, notes: before } = parts;
  // Taken down at once, because its ages count from the moment that is written beside it.
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

/** Writes figures for the operator; no process acts upon them. */
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
