/**
 * How well `classifyReply` does on labelled replies. Some rows have more than one defensible label; "lenient" takes
 * any of them for right, "strict" only the first. The lenient macro-F1 counts a defensible prediction as if it were
 * the row's label, and everything else as it is.
 */
import { classifyReply } from '../../engine/src/replies/classifier/classify-reply.ts';
import type { ReplyLabel, ReplyMeaning, ReplyToClassify } from '../../engine/src/replies/meaning.ts';
import { condemnsMailbox } from '../../engine/src/replies/rules/rule.ts';

export type LabelledReply = ReplyToClassify & {
  id: string;
  label: ReplyLabel;
  altLabels: readonly ReplyLabel[];
};

type LabelScore = { support: number; precision: number; recall: number; f1: number };

type ReplyMiss = { row: LabelledReply; got: ReplyMeaning };

type ReplyMeasure = {
  rows: number;
  accuracy: number;
  lenient: number;
  macroF1: number;
  lenientMacroF1: number;
  /** Share of the blocked, temporary and other replies that were called not existing or disabled. */
  falseInvalid: number;
  perLabel: Partial<Record<ReplyLabel, LabelScore>>;
  /** Rows whose answer is none of the defensible ones. */
  misses: ReplyMiss[];
};

type Judged = { row: LabelledReply; got: ReplyMeaning; defensible: boolean };

export function measureReplies(rows: readonly LabelledReply[]): ReplyMeasure {
  const judged = rows.map(judge);
  const strict = judged.map(({ row, got }) => ({ expected: row.label, got: got.label }));
  const lenient = judged.map(({ row, got, defensible }) => ({
    expected: row.label,
    got: defensible ? row.label : got.label,
  }));
  const innocent = judged.filter(({ row }) => innocentLabels.has(row.label));
  return {
    rows: rows.length,
    accuracy: share(judged, ({ row, got }) => row.label === got.label),
    lenient: share(judged, ({ defensible }) => defensible),
    macroF1: mean(Object.values(scorePerLabel(strict)).map(({ f1 }) => f1)),
    lenientMacroF1: mean(Object.values(scorePerLabel(lenient)).map(({ f1 }) => f1)),
    falseInvalid: share(innocent, ({ got }) => condemnsMailbox(got.label)),
    perLabel: scorePerLabel(strict),
    misses: judged.filter(({ defensible }) => !defensible).map(({ row, got }) => ({ row, got })),
  };
}

const innocentLabels: ReadonlySet<ReplyLabel> = new Set([
  'blocked_or_policy',
  'greylisted_or_temporary',
  'other',
]);

function judge(row: LabelledReply): Judged {
  const got = classifyReply(row);
  return { row, got, defensible: row.label === got.label || row.altLabels.includes(got.label) };
}

/** Scores of the labels that the rows carry. A label that no row expects has no F1 to average. */
function scorePerLabel(
  pairs: readonly { expected: ReplyLabel; got: ReplyLabel }[],
): Partial<Record<ReplyLabel, LabelScore>> {
  const scores: Partial<Record<ReplyLabel, LabelScore>> = {};
  for (const label of new Set(pairs.map(({ expected }) => expected))) {
    const support = pairs.filter(({ expected }) => expected === label).length;
    const given = pairs.filter(({ got }) => got === label).length;
    const right = pairs.filter(({ expected, got }) => expected === label && got === label).length;
    const precision = given === 0 ? 0 : right / given;
    const recall = right / support;
    scores[label] = {
      support,
      precision,
      recall,
      f1: right === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    };
  }
  return scores;
}

function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.length === 0 ? 0 : items.filter(holds).length / items.length;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
