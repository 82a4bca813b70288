/**
 * Mail providers that are large enough for two conclusions: a resolver that says they do not exist, or take no mail, is
 * wrong; and a dead domain one slip away from one of them is most likely meant to be it.
 *
 * Only domains whose mail has worked for years and will be missed by millions the day it does not: a wrong name on this
 * list would make the service doubt a good resolver. Many more providers are on the list of free ones.
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
