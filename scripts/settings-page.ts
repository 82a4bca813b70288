import { settingTexts } from '@mailproof/service/config';
import { markdownTable } from './markdown-table.ts';

/** docs/settings.md, made from the table that the start reads so that the two cannot differ. */
export function settingsPage(): string {
  return [
    '# Settings',
    '',
    'Settings are environment variables. `./mailproof config` shows the values in force. A bad one stops the start with one',
    'line that names it and says what it may be; an empty one counts as not set. This page is written from',
    '`service/src/config.ts` by `npm run docs`.',
    '',
    ...markdownTable([
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
