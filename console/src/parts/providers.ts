/** Names of providers by the service's ids. An id of a newer service is shown as it is. */
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
  barracuda: 'Barracuda',
  spamexperts: 'SpamExperts',
  ironport: 'Cisco IronPort',
  messagelabs: 'MessageLabs',
  sophos: 'Sophos',
  godaddy: 'GoDaddy',
  rackspace: 'Rackspace',
  hornetsecurity: 'Hornetsecurity',
  trendmicro: 'Trend Micro',
  forcepoint: 'Forcepoint',
  gmx: 'GMX and WEB.DE',
  comcast: 'Comcast',
  orange: 'Orange',
  laposte: 'La Poste',
  free: 'Free (France)',
  qq: 'QQ',
  netease: 'NetEase',
  hanmail: 'Hanmail',
  naver: 'Naver',
  zoho: 'Zoho',
  tonline: 'Telekom (t-online.de)',
  docomo: 'NTT Docomo',
  au: 'au (KDDI)',
  softbank: 'SoftBank',
  mxroute: 'MXroute',
  amazon: 'Amazon',
  fastmail: 'Fastmail',
  ovh: 'OVH',
  proton: 'Proton',
  titan: 'Titan',
  hostinger: 'Hostinger',
  privateemail: 'Namecheap Private Email',
  opensrs: 'OpenSRS',
  aruba: 'Aruba',
  infomaniak: 'Infomaniak',
  other: 'Other mail servers',
  none: 'No mail server asked',
};

export function providerName(id: string): string {
  return Object.hasOwn(names, id) ? (names[id] ?? id) : id;
}

/** Names of providers by the end of a mail host's name. */
const providers: readonly [ending: string, name: string][] = [
  ['google.com', 'Google'],
  ['googlemail.com', 'Google'],
  ['protection.outlook.com', 'Microsoft 365'],
  ['mx.microsoft', 'Microsoft 365'],
  ['outlook.com', 'Outlook.com'],
  ['hotmail.com', 'Outlook.com'],
  ['yahoodns.net', 'Yahoo'],
  ['icloud.com', 'Apple iCloud'],
  ['apple.com', 'Apple iCloud'],
  ['protonmail.ch', 'Proton'],
  ['zoho.com', 'Zoho'],
  ['zoho.eu', 'Zoho'],
  ['messagingengine.com', 'Fastmail'],
  ['mimecast.com', 'Mimecast'],
  ['pphosted.com', 'Proofpoint'],
  ['yandex.net', 'Yandex'],
  ['yandex.ru', 'Yandex'],
  ['mail.ru', 'Mail.ru'],
  ['qq.com', 'QQ'],
  ['secureserver.net', 'GoDaddy'],
  ['gmx.net', 'GMX and WEB.DE'],
  ['web.de', 'GMX and WEB.DE'],
  ['kundenserver.de', 'IONOS'],
  ['ionos.com', 'IONOS'],
  ['ovh.net', 'OVH'],
  ['orange.fr', 'Orange'],
  ['comcast.net', 'Comcast'],
];

export const noHostAsked = 'No mail server asked';

/**
 * Returns the provider of a mail host. An unknown host is shown by its last two labels, usually the registered domain.
 */
export function providerOf(mailHost: string | null): string {
  if (mailHost === null) return noHostAsked;
  const host = mailHost.toLowerCase();
  const known = providers.find(([ending]) => host === ending || host.endsWith(`.${ending}`));
  return known?.[1] ?? host.split('.').slice(-2).join('.');
}
