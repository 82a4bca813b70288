/** The service's words for providers, as people know them; one that is newer than this page is shown as it is. */
const names: Readonly<Record<string, string>> = {
  google: 'Google',
  outlook: 'Outlook.com',
  microsoft: 'Microsoft 365',
  yahoo: 'Yahoo',
  apple: 'Apple iCloud',
  mailru: 'Mail.ru',
  yandex: 'Yandex',
  mimecast: 'Mimecast',
  proofpoint: 'Proofpoint',
  spamexperts: 'SpamExperts',
  messagelabs: 'MessageLabs',
  godaddy: 'GoDaddy',
  hornetsecurity: 'Hornetsecurity',
  trendmicro: 'Trend Micro',
  gmx: 'GMX and WEB.DE',
  orange: 'Orange',
  qq: 'QQ',
  netease: 'NetEase',
  hanmail: 'Hanmail',
  tonline: 'Telekom (t-online.de)',
  mxroute: 'MXroute',
  amazon: 'Amazon',
  ovh: 'OVH',
  other: 'Other mail servers',
  none: 'No mail server asked',
};

export function providerName(id: string): string {
  return Object.hasOwn(names, id) ? (names[id] ?? id) : id;
}
