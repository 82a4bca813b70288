import type { ReplyParties } from './meaning.ts';

/**
 * Our own names in a reply. Servers that verify senders or look up clients answer at RCPT in the very words they have
 * for unknown recipients; only the name tells the two apart.
 */

/** Whether the reply names us (sender, HELO name, IP address) and not the recipient. */
export function namesUsAlone(text: string, parties: ReplyParties | undefined): boolean {
  if (parties === undefined) return false;
  const said = text.toLowerCase();
  return ourNames(parties).some((name) => occurs(name, said)) && !namesRecipient(said, parties.recipient);
}

/** The text with every name of ours as one word, `ourname`, so that nothing said of it is taken for the recipient. */
export function withOurNames(text: string, parties: ReplyParties | undefined): string {
  if (parties === undefined) return text;
  // An IP address stays: it is about us in every rule already.
  const names = ourNames({ ...parties, egressAddress: undefined });
  const lower = text.toLowerCase();
  return names
    .filter((name) => lower.includes(name))
    .reduce((said, name) => said.replace(whole(name), ' ourname '), text);
}

/** The longest first, so that an address goes before its domain. What is the recipient's as well is not ours alone. */
function ourNames({ sender, heloName, egressAddress, recipient }: ReplyParties): string[] {
  const theirs = [recipient.toLowerCase(), domainOf(recipient), ''];
  return [sender, domainOf(sender), heloName, egressAddress ?? '']
    .map((name) => name.toLowerCase())
    .filter((name) => !theirs.includes(name))
    .toSorted((one, other) => other.length - one.length);
}

/** By address, by domain, or by local part where it is marked as a name: `<someone>`, `"someone"`, `someone...`. */
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

/** As a whole: neither `mx.example.com` nor `example.com.au` names `example.com`. */
function whole(name: string): RegExp {
  return new RegExp(String.raw`(?<![\w.-])${RegExp.escape(name)}(?![\w-]|\.\w)`, 'giu');
}
