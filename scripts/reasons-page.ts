import { reasonGroups } from '@mailproof/client';

/** docs/reasons.md, made from the client's texts so that the two cannot differ. */
export function reasonsPage(): string {
  return [
    '# Reasons',
    '',
    'With `?explain=true`, and on the command line, every result names its reason: a code that stays the same from',
    'release to release. This page is written from `client/src/reason-texts.ts` by `npm run docs`.',
    '',
    ...Object.values(reasonGroups).flatMap(({ title, texts }) => [
      `## ${title}`,
      '',
      '| reason | meaning |',
      '| --- | --- |',
      ...Object.entries(texts).map(([reason, text]) => `| \`${reason}\` | ${text} |`),
      '',
    ]),
  ].join('\n');
}
