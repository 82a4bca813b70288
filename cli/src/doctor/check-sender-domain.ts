import type { DoctorParts, Finding } from './check.ts';
import { findAddresses } from './find-addresses.ts';

/** The sender's domain exists and accepts mail: many servers reject a sender that could not be replied to. */
export async function checkSenderDomain(parts: DoctorParts): Promise<Finding> {
  const { resolver, senderDomain, patience } = parts;
  const check = 'sender domain';
  const remedy =
    'Set MAILPROOF_MAIL_FROM to an address at a domain of yours that receives mail, and read that mailbox.';
  const problem = (seen: string): Finding => ({ check, state: 'problem', seen, remedy });
  const lookup = await resolver.mx(senderDomain, patience());
  switch (lookup.kind) {
    case 'found': {
      const hosts = lookup.records
        .map(({ exchange }) => exchange)
        .filter((exchange) => exchange !== '' && exchange !== '.');
      return hosts.length === 0
        ? problem(`${senderDomain} declares that it accepts no mail (null MX)`)
        : { check, state: 'ok', seen: `mail to ${senderDomain} goes to ${hosts.slice(0, 3).join(', ')}` };
    }
    case 'no_such_name':
      return problem(`${senderDomain} does not exist`);
    case 'no_data': {
      const found = await findAddresses(senderDomain, parts);
      if (found.kind === 'found')
        return { check, state: 'ok', seen: `mail to ${senderDomain} goes to its own IP address` };
      return problem(`${senderDomain} has neither a mail server nor an IP address`);
    }
    case 'failed':
      return {
        check,
        state: 'not_checked',
        seen: `${senderDomain} could not be looked up (${lookup.failure})`,
      };
  }
}
