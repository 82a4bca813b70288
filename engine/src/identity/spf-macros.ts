import type { Ip } from '../net/parse-ip.ts';

/** What macros stand for; `domain` is the one whose record is read. */
type MacroValues = { ip: Ip; domain: string; sender: string; heloName: string };

/** Expands the macros of a domain in an SPF record (RFC 7208 section 7); undefined if one is malformed. */
export function expandMacros(text: string, values: MacroValues): string | undefined {
  const bad: string[] = [];
  const expanded = text.replace(/%(?:[%_-]|\{(?<inside>[^}]*)\})?/g, (whole, inside: string | undefined) => {
    if (whole === '%%') return '%';
    if (whole === '%_') return ' ';
    if (whole === '%-') return '%20';
    const value = inside === undefined ? undefined : expandOne(inside, values);
    if (value === undefined) bad.push(whole);
    return value ?? '';
  });
  return bad.length > 0 ? undefined : expanded;
}

function expandOne(inside: string, values: MacroValues): string | undefined {
  const groups = /^(?<letter>[slodiphv])(?<digits>\d*)(?<reverse>r?)(?<delimiters>[.+,/_=-]*)$/i.exec(
    inside,
  )?.groups;
  if (groups === undefined || groups['digits'] === '0') return undefined;
  const { letter = '', digits = '', reverse = '', delimiters = '' } = groups;
  const parts = valueOf(letter.toLowerCase(), values).split(new RegExp(`[${escaped(delimiters || '.')}]`));
  if (reverse !== '') parts.reverse();
  return (digits === '' ? parts : parts.slice(-Number(digits))).join('.');
}

function escaped(characters: string): string {
  return characters.replace(/[-.+/]/g, '\\$&');
}

function valueOf(letter: string, { ip, domain, sender, heloName }: MacroValues): string {
  const at = sender.lastIndexOf('@');
  switch (letter) {
    case 's':
      return sender;
    case 'l':
      return sender.slice(0, at);
    case 'o':
      return sender.slice(at + 1);
    case 'd':
      return domain;
    case 'i':
      return dotted(ip);
    case 'v':
      return ip.family === 4 ? 'in-addr' : 'ip6';
    case 'h':
      return heloName;
    default:
      // The validated name of the client: not looked up, and then it is "unknown" (section 7.3).
      return 'unknown';
  }
}

/** IPv6 addresses are written nibble by nibble (section 7.3). */
function dotted({ family, value }: Ip): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  return Array.from(value.toString(16).padStart(32, '0')).join('.');
}
