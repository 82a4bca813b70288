/**
 * Quirks: what a host does beside knowing its mailboxes, each as data. A host may have several. They depend on the
 * conversation, on the place of a recipient in it, on the recipients named before and on other connections; never on
 * the mailbox.
 */

/**
 * A reply as it is written in a description: lines joined by `\n`, each with its code, without line
 * ends. `{host}`, `{client}`, `{recipient}` and `{sender}` are filled in.
 */
export type ReplyText = string;

export type Quirk =
  /** Takes this many distinct recipients a conversation, and gives the reply to all further ones. */
  | { kind: 'takes_distinct'; recipients: number; reply: ReplyText }
  /** Answers by place, 1 first: the truth, a yes or the reply. After the last word it begins again, or stays with it. */
  | { kind: 'by_place'; says: readonly PlaceWord[]; then: 'again' | 'stays'; reply: ReplyText }
  /** Gives the reply once this many recipients were refused in the conversation, with 4xx or 5xx. */
  | { kind: 'counts_refusals'; refusals: number; reply: ReplyText }
  /** Never sends the reply to this place, and answers the next command as if it had. */
  | { kind: 'loses_reply'; place: number }
  /** Sends this one too after the reply to this place. */
  | { kind: 'surplus_reply'; place: number; reply: ReplyText }
  /** Drops the connection at this place; replies that came together with it are lost. */
  | { kind: 'vanishes'; place: number }
  /** Thinks this long about the recipient at this place. */
  | { kind: 'late'; place: number; ms: number }
  /** Gives the reply in conversations whose number leaves one of these remainders, and closes if it is 421. */
  | { kind: 'busy'; at: 'banner' | 'rcpt'; every: number; in: readonly number[]; reply: ReplyText }
  /** Turns a client away that has another connection open. */
  | { kind: 'one_client'; reply: ReplyText };

export type PlaceWord = 'truth' | 'yes' | 'no';

/** What a quirk looks at. */
export type QuirkView = {
  /** 1 for the first recipient of the conversation. */
  place: number;
  /** 0 for the first conversation with the host. */
  conversation: number;
  /** Distinct recipients of the conversation, this one not counted, and whether it is among them. */
  distinct: number;
  isRepeated: boolean;
  /** Refused recipients of the conversation. */
  refused: number;
};

/** Returns what the quirks say to a recipient; `truth` is used if they leave the answer to the mailbox. */
export function quirkReply(quirks: readonly Quirk[], view: QuirkView): ReplyText | undefined {
  for (const quirk of quirks) {
    const reply = replyOf(quirk, view);
    if (reply !== undefined) return reply;
  }
  return undefined;
}

function replyOf(quirk: Quirk, view: QuirkView): ReplyText | undefined {
  switch (quirk.kind) {
    case 'takes_distinct':
      return !view.isRepeated && view.distinct >= quirk.recipients ? quirk.reply : undefined;
    case 'by_place':
      return wordAt(quirk, view.place);
    case 'counts_refusals':
      return view.refused >= quirk.refusals ? quirk.reply : undefined;
    case 'busy':
      return quirk.at === 'rcpt' && isBusy(quirk, view.conversation) ? quirk.reply : undefined;
    case 'loses_reply':
    case 'surplus_reply':
    case 'vanishes':
    case 'late':
    case 'one_client':
      return undefined;
  }
}

function wordAt({ says, then, reply }: Quirk & { kind: 'by_place' }, place: number): ReplyText | undefined {
  const index = then === 'again' ? (place - 1) % says.length : Math.min(place, says.length) - 1;
  const word = says[index];
  if (word === 'yes') return '250 2.1.5 Ok';
  return word === 'no' ? reply : undefined;
}

function isBusy({ every, in: busy }: Quirk & { kind: 'busy' }, conversation: number): boolean {
  return busy.includes(conversation % every);
}

/** Returns what the quirks say in place of the banner. */
export function quirkBanner(
  quirks: readonly Quirk[],
  { conversation, hasOthers }: { conversation: number; hasOthers: boolean },
): ReplyText | undefined {
  for (const quirk of quirks) {
    if (quirk.kind === 'one_client' && hasOthers) return quirk.reply;
    if (quirk.kind === 'busy' && quirk.at === 'banner' && isBusy(quirk, conversation)) return quirk.reply;
  }
  return undefined;
}

/** What becomes of the reply to the recipient at a place. */
export type Delivery = { isLost: boolean; surplus: ReplyText | undefined; vanishes: boolean; lateMs: number };

export function deliveryAt(quirks: readonly Quirk[], place: number): Delivery {
  const delivery: Delivery = { isLost: false, surplus: undefined, vanishes: false, lateMs: 0 };
  for (const quirk of quirks) {
    if (!('place' in quirk) || quirk.place !== place) continue;
    if (quirk.kind === 'loses_reply') delivery.isLost = true;
    if (quirk.kind === 'surplus_reply') delivery.surplus = quirk.reply;
    if (quirk.kind === 'vanishes') delivery.vanishes = true;
    if (quirk.kind === 'late') delivery.lateMs += quirk.ms;
  }
  return delivery;
}
