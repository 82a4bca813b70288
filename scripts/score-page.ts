import { considerations, notForBulkStart, scoreStarts } from '../engine/src/score.ts';
import { markdownTable } from './markdown-table.ts';

/** docs/score.md, made from the engine's tables so that they cannot differ. */
export function scorePage(): string {
  const statuses = Object.entries(scoreStarts).sort(([, one], [, other]) => other - one);
  const moved = statuses.map(([status]) => status).filter((status) => pointsFor(status).length > 0);
  return [
    '# The score',
    '',
    '`overall_score` is an estimate, in percent, of the chance that a message sent now is delivered. It is not measured: the',
    'points below are judgement, until real bounces calibrate them. The order is certain: no evidence lifts an address of a',
    'worse status above one of a better status. `unknown` has no score. This page is written from `engine/src/score.ts` by',
    '`npm run docs`.',
    '',
    ...markdownTable([
      ['status', 'starts at', 'least', 'most'],
      ...statuses.map(([status, start]) => [
        `\`${status}\``,
        ...[start, ...extremes(status, start)].map(String),
      ]),
      [
        '`role_account`, not for bulk mail',
        ...[notForBulkStart, ...extremes('role_account', notForBulkStart)].map(String),
      ],
    ]),
    '',
    'The last row is for roles that must not receive bulk mail: desks for abuse and security, machines, `noreply`, and',
    'lists that reach a whole company (`everyone`). Mail to them arrives, and costs the sender its reputation. So',
    '`is_safe_to_send` is false, and the score is outside the order by status. The names are in',
    '`cli/src/domain-lists/by-hand/roles-not-for-bulk.txt`. Roles whose job is to read mail (`info`, `sales`, `support`)',
    'are not among them. At a catch-all domain a role changes nothing.',
    '',
    'Each condition that holds adds its points:',
    '',
    ...markdownTable([
      ['condition', ...moved.map((status) => `\`${status}\``)],
      ...considerations.map(({ what, points }) => [
        what,
        ...moved.map((status) => signed(new Map(Object.entries(points)).get(status))),
      ]),
    ]),
    '',
    'SPF, DMARC and MTA-STS are looked up for a `catch_all` only: three DNS queries at once, within a second. A late answer',
    'adds nothing.',
    '',
  ].join('\n');
}

function pointsFor(status: string): number[] {
  return considerations.flatMap(({ points }) => new Map(Object.entries(points)).get(status) ?? []);
}

/** The scores that the evidence can give. Of points that exclude each other only one side counts. */
function extremes(status: string, start: number): [least: number, most: number] {
  const gains = bestOf(status, Math.max);
  const losses = bestOf(status, Math.min);
  return [start + losses, start + gains];
}

/** Considerations of one `question` answer it differently, so that only one of them holds. */
function bestOf(status: string, choose: (...points: number[]) => number): number {
  const questions = Map.groupBy(considerations, ({ question }) => question);
  return [...questions.values()]
    .map((answers) =>
      choose(0, ...answers.map(({ points }) => new Map(Object.entries(points)).get(status) ?? 0)),
    )
    .reduce((sum, points) => sum + points, 0);
}

function signed(points: number | undefined): string {
  if (points === undefined) return '';
  return points > 0 ? `+${points}` : `−${-points}`;
}
