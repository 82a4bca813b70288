/**
 * A host name in the one form that may reach DNS, a cache, a log or an SMTP command. It has lower-case letters,
 * digits and hyphens (underscores in the name of a mail host), at least two labels and no trailing dot. Made only by
 * `canonicalHost` and `canonicalMailHost`.
 */
export type CanonicalHost = string & { readonly __canonicalHost: unique symbol };

/** An address that parsed. Made only by `parseAddress`. */
export type Address = {
  /** As submitted, white space around it trimmed. */
  email: string;
  /** The local part as submitted. */
  username: string;
  /** The domain as submitted, in lower case; an internationalised one stays in Unicode. */
  domain: string;
  /** The domain as it goes on the wire. */
  host: CanonicalHost;
  /** The local part as it goes on the wire, in quotes only if it needs them. */
  localPart: string;
  /** The local part holds more than ASCII, so the mail host has to offer SMTPUTF8 (RFC 6531). */
  needsSmtputf8: boolean;
};

/** Why a string is no address we can verify. */
export type SyntaxFault =
  | 'empty'
  | 'no_at_sign'
  | 'too_long'
  | 'local_part_empty'
  | 'local_part_too_long'
  | 'local_part_invalid'
  | 'domain_empty'
  | 'domain_too_long'
  | 'domain_invalid'
  | 'domain_not_canonical'
  | 'domain_dotless'
  | 'domain_numeric'
  | 'address_literal'
  | 'comment_or_folding'
  | 'control_character';

export type ParsedAddress = { kind: 'valid'; address: Address } | { kind: 'invalid'; fault: SyntaxFault };
