import { plainLocalPart } from './plain-mailbox.ts';

/**
 * Local parts that a program makes for one message or one recipient, to find its bounces again. A person reads none
 * of them, and most expire within days.
 */
const shapes: readonly RegExp[] = [
  // BATV (draft-levine-smtp-batv): a signed sender. The other two are what Barracuda and Momentum write.
  /^(?:prvs|btv1|msprvs1)=./,
  // SRS: a sender that a forwarder has rewritten.
  /^srs[01][=+-]./,
  // VERP: the recipient in the sender, its @ written as =.
  /[-+_].*=[^=]*[^=.]\.[a-z]{2,}$/,
  /^bounces?\+./,
  /^(?:bounces?|returns?)[-_=].*\d{3}/,
  // The return path of Amazon SES.
  /^[\da-f]{16}-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}-\d{6}$/,
];

/** A character that every shape has. */
const mark = /[-+=_]/;

export function isMachineAddress(localPart: string): boolean {
  if (!mark.test(localPart)) return false;
  const plain = plainLocalPart(localPart);
  return shapes.some((shape) => shape.test(plain));
}
