import { settingTexts } from '@mailproof/service/config';

/** docs/settings.md, made from the table that the start reads so that the two cannot differ. */
export function settingsPage(): string {
  return [
    '# Settings',
    '',
    'Settings are environment variables. `./mailproof config` shows the values in force. A bad one stops the start with one',
    'line that names it and says what it may be; an empty one counts as not set. This page is written from',
    '`service/src/config.ts` by `npm run docs`.',
    '',
    ...table([
      ['setting', 'default', 'meaning', 'may be'],
      ...settingTexts().map(({ names, defaultText, meaning, mayBe }) => [
        `\`${names[0]}\``,
        defaultText ?? 'none',
        meaning,
        mayBe,
      ]),
    ]),
    '',
    'Relative paths are taken from the directory the command is called in. The default data directory is `data` in the',
    'folder Mailproof is installed in, wherever it is called from.',
    '',
    'In Kubernetes a service called `mailproof` makes every pod find a variable `MAILPROOF_PORT=tcp://…`: set',
    '`enableServiceLinks: false`, or give the service another name.',
    '',
  ].join('\n');
}

/** Columns of equal width, as the formatter lays them out. */
function table(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)];
}
