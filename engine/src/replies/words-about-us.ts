/* eslint-disable regexp/no-dupe-disjunctions, regexp/no-useless-non-capturing-group -- sets of words overlap */
/**
 * Takes the statements out of a reply that are not about the recipient. "Unknown", "does not exist", "no longer",
 * "disabled" condemn a mailbox only if the mailbox is their subject. Servers say the same of senders, HELO names,
 * clients, TLS versions, services and messages, and say it at RCPT. The rules that condemn see only the rest.
 *
 * A statement is a subject, up to six words that name no recipient, and a predicate. Works on the plain words of
 * `normaliseText`: every word is followed by one space, ` . ` stands between sentences.
 */
import type { ReplyParties } from './meaning.ts';

/** Sets of words that many phrases share. */
export const wordSets = {
  who: 'users?|recipients?|mailbox(?:es)?|accounts?|address(?:es)?|emails?|usernames?|userid|alias|rcpt|addressee|person|member|subscriber|customer|contact|inbox|login|addr|mailid|mbox|mailuser|receivers?',
  us: 'ips?|ipaddr|hosts?|hostname|servers?|clients?|networks?|domains?|subnet|range|mta|isp|connections?|netblock|sender|senders',
  number: String.raw`\d[\d:.]*`,
} as const satisfies Readonly<Record<string, string>>;

const recipient = `(?:${wordSets.who}|postmaster|owner)`;

/** The next word, unless a sentence ends or a recipient, or a reason, begins there. */
const ordinaryWord = String.raw`(?!(?:\.|${recipient}|because|since|reason|but|due|as) )\S+ `;

/** Things of the asking side. Two words may follow before the predicate, a recipient's noun among them. */
const ours = String.raw`(?:your (?!recipients? |addressee |correspondent |contact )|(?:the |this |our |an? |any )?(?:sender|senders|originator|sending(?! to)|originating|connecting|client|clients|remote|peer|helo|ehlo|heloname|source|submitting|envelope|return|reverse|reply to(?= address)|mailfrom|mail from|from)(?:'s)? )(?:(?!\. )\S+ ){0,2}?`;

/** "The address you send from", "the account you are using". */
const usedByUs = String.raw`${recipient} (?:that |which )?you (?:are |were |have )?(?:send|sending|sent|mail|mailing|mailed|use|used|using|wrote|authenticated|logged)(?: in| it| mail| this| email)? (?:from |as |with |by |for sending )?(?!to )`;

/** Words that can be no recipient, whichever side they belong to. */
const things =
  'ourname|tls|tls[v\\d][\\w.]*|starttls|ssl|ssl[v\\d][\\w.]*|ciphers?|certificates?|encryption|protocols?|authentication|auth|passwords?|credentials|relay|relaying|gateway|ips?|ipaddr|ipv[46]|networks?|subnet|ptr|rdns|rhsbl|spf|dkim|dmarc|messages?|msg|letter|contents?|attachments?|headers?|subject|body|charset|encoding|commands?|verb|parameters?|arguments?|options?|features?|functions?|extensions?|versions?|licen[cs]e|ports?|connections?|sessions?|transactions?|requests?|actions?|operations?|link|url|page|website|country|isp|provider|software|methods?|mechanisms?|vrfy|expn|smtputf8|pipelining|bounces?|dns|hostname|nameserver|backscatter|rule|access|traffic';

/** Places as well as things: "unknown on this server" is about a recipient, "this server is unknown" is not. */
const places = 'services?|servers?|systems?|mailserver|mailhost|mta|machine|site|platform|network|host';

const notAPlace = String.raw`(?<! (?:on|at|in|by|to|from|of|for|with|under|through) (?:(?:this|the|that|our|my|any|your|mail|smtp|email|local|remote) ){0,3})`;

const subject = String.raw`(?:${ours}|${usedByUs}|(?:${things}) (?:address |addresses |name |record |version )?|${notAPlace}(?:this|the|that|our|my) (?:(?:mail|smtp|email|free|web|hosting|old|remote) ){0,2}(?:${places}) |(?:mail |email )?(?:services?|servers?|systems?) )`;

const predicate =
  '(?:unknown|unrecogni[sz]ed|undefined|unregistered|unallocated|unassigned|unverified|unresolvable|invalid|illegal|incorrect|bad|wrong|malformed|misspelled|nonexist[ea]nt|non-exist[ea]nt|non exist[ea]nt|inexist[ea]nt|disabled|deactivated|inactive|suspended|frozen|closed|expired|blocked|locked|terminated|deleted|removed|discontinued|decommissioned|dormant|cancell?ed|archived|retired|unavailable|inaccessible|unreachable|undeliverable|unrouteable|missing|absent|gone|moved|off|offline|no (?:longer|more|such)|(?:has|have|had) (?:no|not|moved|left)|never|(?:does|did|do|is|was|are|were|could|can|has|have|will|would|may|must|should)? ?(?:not|cannot)(?! (?:know|have|find|recogni[sz]e|hold|contain|host|serve|list|match|locate|identify|see) )(?: (?:longer|be|been|an?|the))?(?: \\S+)?) ';

/** Not "unknown user": there the words belong to the recipient behind them. */
const notOfRecipient = String.raw`(?!(?:(?!\. )\S+ )?${recipient} )`;

/**
 * "You are not a known user of this relay": all of it, unless it says which recipient is meant ("the user you are
 * …").
 */
const aboutYou = String.raw`(?<!${recipient} (?:that |which |whom )?)you (?:are|were) (?:not|no|unknown|an? unknown) (?:(?!\. )\S+ ){0,20}`;

const aboutUs = new RegExp(
  String.raw`(?<= )(?:${aboutYou}|${subject}(?:${ordinaryWord}){0,6}?${predicate}${notOfRecipient})`,
  'g',
);

/** Returns the words without the statements about us; the very same string if there are none. */
export function withoutWordsAboutUs(words: string): string {
  return words.replace(aboutUs, '. ');
}

/**
 * Our own names in a reply. Servers that verify senders or look up clients answer at RCPT in the very words they
 * have for unknown recipients; only the name tells the two apart.
 */

/** Whether the reply names us (sender, HELO name, IP address) and not the recipient. */
export function namesUsAlone(text: string, parties: ReplyParties | undefined): boolean {
  if (parties === undefined) return false;
  const said = text.toLowerCase();
  return ourNames(parties).some((name) => occurs(name, said)) && !namesRecipient(said, parties.recipient);
}

/**
 * Returns the text with every name of ours as one word, `ourname`, so that nothing said of it is taken for the
 * recipient.
 */
export function withOurNames(text: string, parties: ReplyParties | undefined): string {
  if (parties === undefined) return text;
  // An IP address stays: it is about us in every rule already.
  const names = ourNames({ ...parties, egressAddress: undefined });
  const lower = text.toLowerCase();
  return names
    .filter((name) => lower.includes(name))
    .reduce((said, name) => said.replace(whole(name), ' ourname '), text);
}

/**
 * Returns our names, the longest first, so that an address goes before its domain. A name that is also the
 * recipient's is not ours alone.
 */
function ourNames({ sender, heloName, egressAddress, recipient }: ReplyParties): string[] {
  const theirs = [recipient.toLowerCase(), domainOf(recipient), ''];
  return [sender, domainOf(sender), heloName, egressAddress ?? '']
    .map((name) => name.toLowerCase())
    .filter((name) => !theirs.includes(name))
    .toSorted((one, other) => other.length - one.length);
}

/**
 * Whether a text names the recipient: by address, by domain, or by local part if it is marked as a name:
 * `<someone>`, `"someone"`, `someone...`.
 */
function namesRecipient(said: string, recipient: string): boolean {
  const address = recipient.toLowerCase();
  const localPart = address.slice(0, Math.max(0, address.lastIndexOf('@')));
  const marked = [`<${localPart}>`, `"${localPart}"`, `'${localPart}'`, `(${localPart})`];
  return (
    occurs(address, said) ||
    occurs(domainOf(address), said) ||
    marked.some((name) => said.includes(name)) ||
    said.startsWith(`${localPart}...`)
  );
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function occurs(name: string, said: string): boolean {
  return said.includes(name) && whole(name).test(said);
}

/** Matches a whole name: neither `mx.example.com` nor `example.com.au` names `example.com`. */
function whole(name: string): RegExp {
  return new RegExp(String.raw`(?<![\w.-])${RegExp.escape(name)}(?![\w-]|\.\w)`, 'giu');
}
