import type { AnswerBook } from './answer-book.ts';
import { grouped } from './progress.ts';
import type { CheckOrder } from './run-check.ts';
import type { Standing } from './standing.ts';
import type { Survey } from './survey-list.ts';

type Ended = { order: CheckOrder; survey: Survey; answers: AnswerBook; standing: Standing };

/** What a check came to: in words, or as one JSON object. Statuses are counted by distinct address. */
export function presentSummary({ order, survey, answers, standing }: Ended): string {
  const { rows, addresses, duplicates, blank, rejected } = survey;
  const statuses = Object.entries(answers.countByStatus()).sort(([, a], [, b]) => b - a);
  const credits = standing.credits();
  if (order.json) {
    const counts = { rows, addresses, duplicates, blank, rejected, statuses: Object.fromEntries(statuses) };
    return `${JSON.stringify({ ...counts, credits_used: credits, output: order.output })}\n`;
  }
  const width = Math.max(...statuses.map(([, count]) => grouped(count).length), 1);
  return [
    ...statuses.map(([status, count]) => {
      const percent = ((100 * count) / addresses).toFixed(1);
      return `${grouped(count).padStart(width)}  ${status} (${percent} %)`;
    }),
    `${grouped(rows)} rows: ${grouped(addresses)} addresses, ${grouped(duplicates)} duplicates, ${grouped(blank)} blank, ${grouped(rejected)} no address`,
    `${grouped(credits)} credits used, written to ${order.output}`,
    '',
  ].join('\n');
}
