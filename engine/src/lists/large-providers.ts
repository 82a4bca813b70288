/**
 * Mail providers that are large enough for two conclusions. A resolver that says they do not exist, or take no mail,
 * is wrong. And a dead domain one slip away from one of them is most likely meant to be it.
 *
 * Only domains whose mail has worked for years, and whose failure millions would notice at once: a wrong name on
 * this list would make the service doubt a good resolver. Many more providers are on the list of free ones.
 */
export const largeProviders: ReadonlySet<string> = new Set(
  `gmail.com googlemail.com
  outlook.com outlook.fr outlook.de hotmail.com hotmail.co.uk hotmail.fr hotmail.it hotmail.es hotmail.de
  live.com live.co.uk live.fr msn.com
  yahoo.com yahoo.co.uk yahoo.fr yahoo.de yahoo.it yahoo.es yahoo.ca yahoo.com.br yahoo.co.in yahoo.co.jp
  ymail.com rocketmail.com aol.com
  icloud.com me.com mac.com
  gmx.de gmx.net gmx.com gmx.at gmx.ch web.de t-online.de freenet.de mail.com
  mail.ru yandex.ru yandex.com qq.com 163.com 126.com naver.com hanmail.net daum.net
  proton.me protonmail.com zoho.com fastmail.com
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it
  comcast.net verizon.net att.net sbcglobal.net btinternet.com
  uol.com.br wp.pl seznam.cz rediffmail.com bigpond.com`.split(/\s+/),
);

/**
 * Returns the large provider that a domain is one slip away from: a letter added, dropped, changed or swapped with
 * its neighbour (`gmial.com`, `hotmail.con`, `yaho.com`). Of several it is the first on the list, which begins with
 * the largest.
 */
export function nearProvider(host: string): string | undefined {
  if (largeProviders.has(host)) return undefined;
  return ofLengthNear.get(host.length)?.find((provider) => isOneSlip(host, provider));
}

/** The providers by the lengths near theirs, in the order of the list: a slip changes the length by one at most. */
const ofLengthNear = new Map<number, string[]>();
for (const provider of largeProviders) {
  for (const length of [provider.length - 1, provider.length, provider.length + 1])
    ofLengthNear.set(length, [...(ofLengthNear.get(length) ?? []), provider]);
}

/**
 * Compares both names without their common beginning and end: lists have hosts by the million, so there is no table.
 */
function isOneSlip(host: string, name: string): boolean {
  const shorter = Math.min(host.length, name.length);
  let begin = 0;
  while (begin < shorter && host[begin] === name[begin]) begin += 1;
  let end = 0;
  while (end < shorter - begin && host[host.length - 1 - end] === name[name.length - 1 - end]) end += 1;
  const had = host.length - begin - end;
  const meant = name.length - begin - end;
  if (had <= 1 && meant <= 1) return had + meant > 0;
  const isSwapped = host[begin] === name[begin + 1] && host[begin + 1] === name[begin];
  return had === 2 && meant === 2 && isSwapped;
}
