/**
 * Brings a reply into the one form the rules are asked about. Servers say the same thing in many spellings, with the
 * address in question, their own name and a ticket number mixed in; here the accidents are taken away.
 */
import type { ReplyParties, ReplyToClassify } from './meaning.ts';
import { namesUsAlone, withOurNames } from './our-names.ts';
import { providerNamed } from './providers.ts';
import type { ProviderId } from './providers.ts';
import { separateWords } from './separate-words.ts';
import { unwrapReply } from './unwrap-reply.ts';
import { withoutWordsAboutUs } from './words-about-us.ts';

/** What a rule is asked about: the reply itself, or the one it quotes, or the words around that one. */
export type PlainReply = {
  /** First digit of the code; 0 where there is no sensible one. */
  replyClass: number;
  code: number;
  /** Only where its class agrees with the code's: a server that contradicts itself proves nothing by it. */
  enhanced: string | undefined;
  /** The text as plain words between spaces; see `normaliseText`. */
  words: string;
  /** The same without what is said of senders, clients, services and messages; see `withoutWordsAboutUs`. */
  wordsAboutRecipient: string;
  provider: ProviderId | undefined;
};

export type NormalisedReply = PlainReply & {
  /** Class of the reply on the wire, where the one that decides was quoted inside it. */
  outerClass: number;
  /** The words in which another reply is quoted; none where nothing is quoted. */
  around: PlainReply | undefined;
  namesUsAlone: boolean;
};

/** Longer texts are cut before anything looks at them, which bounds the work per reply. */
const maxTextCharacters = 2_048;

export function normaliseReply(reply: ReplyToClassify, parties?: ReplyParties): NormalisedReply {
  const said = reply.text.slice(0, maxTextCharacters);
  const text = withOurNames(said, parties).slice(0, maxTextCharacters);
  const provider = reply.provider === undefined ? undefined : providerNamed(reply.provider);
  const { code, enhanced } = reply;
  const { innermost, around } = unwrapReply({ code, enhanced, text });
  return {
    ...plainReply(innermost, provider),
    outerClass: classOf(code, enhanced),
    around: around === '' ? undefined : plainReply({ code, enhanced, text: around }, provider),
    namesUsAlone: namesUsAlone(said, parties),
  };
}

function plainReply(
  { code, enhanced, text }: { code: number; enhanced: string | undefined; text: string },
  provider: ProviderId | undefined,
): PlainReply {
  const replyClass = classOf(code, enhanced);
  const words = normaliseText(text);
  return {
    replyClass,
    code,
    enhanced: agreeingCode(replyClass, enhanced ?? enhancedCodeIn(text)),
    words,
    wordsAboutRecipient: withoutWordsAboutUs(words),
    provider,
  };
}

function classOf(code: number, enhanced: string | undefined): number {
  if (Number.isInteger(code) && code >= 200 && code <= 599) return Math.floor(code / 100);
  const stated = /^[245]/u.exec(enhanced ?? '')?.[0];
  return stated === undefined ? 0 : Number(stated);
}

function agreeingCode(replyClass: number, enhanced: string | undefined): string | undefined {
  const code = enhanced === undefined ? undefined : /^[245]\.\d{1,3}\.\d{1,3}$/u.exec(enhanced.trim())?.[0];
  return code?.startsWith(String(replyClass)) === true ? code : undefined;
}

/**
 * An enhanced code that the text carries: after at most two short words at its head (`cuda_nsu 5.1.1`), or anywhere
 * when it is marked with `#` as qmail and IronPort do. A bare one further on may be a version or half an address.
 */
function enhancedCodeIn(text: string): string | undefined {
  const atHead = /^(?:[\w()[\]:-]{1,24} ){0,2}[([#]?([245]\.\d{1,3}\.\d{1,3})(?![.\d])/u.exec(text)?.[1];
  return atHead ?? /#([245]\.\d{1,3}\.\d{1,3})(?![.\d])/u.exec(text)?.[1];
}

/**
 * Plain words: lower case, accents of Latin letters gone, ` addr ` for every mail address and ` ipaddr ` for every IP
 * address (so that no address can speak), contractions written out, punctuation gone but ` . ` between sentences.
 * Begins and ends with a space, so that every word stands between two.
 */
export function normaliseText(text: string): string {
  const plain = plainLetters(text)
    .replace(/[\u2018\u2019\u00B4`]/gu, "'")
    .replace(/[\u200B-\u200F\u00AD\uFEFF]/gu, '');
  const words = separateWords(plainWords(withoutAddresses(withoutContinuations(plain))));
  return ` ${spelledAlike(words).trim()} `.replace(/\s{1,2048}/gu, ' ');
}

/** Letters that Unicode does not decompose, in the spelling of somebody whose keyboard lacks them. */
const spelledOut: Readonly<Record<string, string>> = {
  ł: 'l',
  ı: 'i',
  ß: 'ss',
  ø: 'o',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ё: 'е',
};

function plainLetters(text: string): string {
  return (
    text
      .normalize('NFKD')
      .replace(/(?<=[a-z])\p{M}{1,8}/giu, '')
      .normalize('NFC')
      .toLowerCase()
      .replace(/[łıßøđæœё]/gu, (letter) => spelledOut[letter] ?? letter)
      // One character may decompose into eighteen (U+FDFA): the bound has to hold after that, too.
      .slice(0, maxTextCharacters)
  );
}

/** `550-5.1.1` at the beginning of each line of a long reply, left over where the lines were joined. */
function withoutContinuations(text: string): string {
  return text
    .replace(/(?<=^|\s)[245]\d\d(?:-|\s(?=[245]\.\d))(?:[245]\.\d{1,3}\.\d{1,3}(?=\s))?/gu, ' ')
    .replace(/\\r|\\n|\\t/gu, ' ');
}

function withoutAddresses(text: string): string {
  return withoutMailAddresses(text)
    .replace(/(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.]*\d)/gu, ' ipaddr ')
    .replace(/(?<![\w.])x{1,3}(?:\.x{1,3}){3}(?![\w.])/gu, ' ipaddr ')
    .replace(/(?<![\w:])[\da-f]{1,4}(?::[\da-f]{0,4}){3,7}(?![\w:])/gu, ' ipaddr ');
}

/** From each `@` to both sides: a search that begins with the local part looks 64 characters ahead of every letter. */
const mailAddress =
  /(?<=(?<localPart>[^\s<>@"'(),:;[\]]{1,64}))@[^\s<>@"'(),:;[\].]{1,63}(?:\.[^\s<>@"'(),:;[\].]{1,63}){0,8}/gu;

function withoutMailAddresses(text: string): string {
  let left = '';
  let end = 0;
  for (const { index, groups, 0: domain } of text.matchAll(mailAddress)) {
    const start = Math.max(end, index - (groups?.['localPart']?.length ?? 0));
    // Of `a@b@c` the first two are an address; what follows has no local part of its own.
    if (start === index) continue;
    left += `${text.slice(end, start)} addr `;
    end = index + domain.length;
  }
  return left + text.slice(end);
}

function plainWords(text: string): string {
  return text
    .replace(/\.{2,2048}/gu, ' ')
    .replace(/[.;](?=[\s)\]"'>]|$)|[\u3002\uFF01]/gu, ' . ')
    .replace(/\S{1,2048}/gu, (token) =>
      lettersAlone.test(token) || token.includes('://') ? token : tokenWords(token),
    );
}

const lettersAlone = /^[a-z\d]+$/u;

/** One token between spaces: a host name or a code keeps its dots; anything else falls into its words. */
function tokenWords(token: string): string {
  const bare = token.replace(/(?![._'#&=-])[\p{P}\p{S}]/gu, ' ');
  const parted = /[a-z\d]\.[a-z\d]/u.test(bare) ? bare : bare.replaceAll('-', ' ');
  return parted
    .replace(/(?<=[a-z])_(?=[a-z])/gu, ' ')
    .replace(/(?<=^|\s)['_=-]{1,2048}|['_=-]{1,2048}(?=\s|$)/gu, ' ');
}

/** French and Italian: the short word of `l'adresse`, `n'existe`, `dell'utente`. */
const elision = /(?<= )(?:[cdjlmnst]|qu|[dn]ell|[ds]?all|sull|quest|un)'(?=[a-z])/gu;

/** One spelling for the words that come in several. */
function spelledAlike(words: string): string {
  return ` ${words} `
    .replace(/\s{1,2048}/gu, ' ')
    .replace(elision, '')
    .replace(/ can't /gu, ' cannot ')
    .replace(/ won't /gu, ' will not ')
    .replace(/ (?:dosn't|doesnt|dosen't|dosnt|don't|dont|do not) /gu, ' does not ')
    .replace(/n't /gu, ' not ')
    .replace(/ can not /gu, ' cannot ')
    .replace(/ e mail(?=s? )/gu, ' email')
    .replace(/ e (?=mail[a-z])/gu, ' ')
    .replace(/ e mails /gu, ' emails ')
    .replace(/ e?mail box(?=(?:es)? )/gu, ' mailbox')
    .replace(/ user name /gu, ' username ')
    .replace(/ dear (?:sender|sir|madam|customer|user|friend|client)s? /gu, ' . ')
    .replace(/'s /gu, ' ');
}
