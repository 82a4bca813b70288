/** Sets of words that many phrases share. */
export const wordSets = {
  who: 'users?|recipients?|mailbox(?:es)?|accounts?|address(?:es)?|emails?|usernames?|userid|alias|rcpt|addressee|person|member|subscriber|customer|contact|inbox|login|addr|mailid|mbox|mailuser|receivers?',
  us: 'ips?|ipaddr|hosts?|hostname|servers?|clients?|networks?|domains?|subnet|range|mta|isp|connections?|netblock|sender|senders',
  number: String.raw`\d[\d:.]*`,
} as const satisfies Readonly<Record<string, string>>;
