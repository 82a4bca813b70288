import { reasonGroups } from '@mailproof/engine';

/** docs/reasons.md, made from the engine's sentences so that the two cannot differ. */
export function reasonsPage(): string {
  return [
    '# Reasons',
    '',
    'With `?explain=true`, and on the command line, every answer names its reason: a code that stays the same from',
    'release to release. This page is written from `engine/src/reason-texts.ts` by `npm run docs`.',
    '',
    ...reasonGroups.flatMap(({ about, texts }) => [
      `## ${about}`,
      '',
      '| reason | meaning |',
      '| --- | --- |',
      ...Object.entries(texts).map(([reason, text]) => `| \`${reason}\` | ${text} |`),
      '',
    ]),
  ].join('\n');
}
