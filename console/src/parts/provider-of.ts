/** Who runs a mail host, by the end of its name; the names that people know. */
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

/** A host that nobody in the table runs is told by its last two names, which is where most are registered. */
export function providerOf(mailHost: string | null): string {
  if (mailHost === null) return noHostAsked;
  const host = mailHost.toLowerCase();
  const known = providers.find(([ending]) => host === ending || host.endsWith(`.${ending}`));
  return known?.[1] ?? host.split('.').slice(-2).join('.');
}
