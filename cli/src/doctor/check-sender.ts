import type { Socket } from 'node:net';
import { printable } from '../present/text.ts';
import { ownMailHosts, resolveHosts } from './check-mail-port.ts';
import { findAddresses, type DoctorParts, type Finding } from './doctor-parts.ts';

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

/**
 * Asks the mail server of the sender's own domain for the sender and for postmaster, as servers do that call back
 * before they believe a sender. It is the operator's own server; no message is sent.
 */
export async function checkCallback(parts: DoctorParts): Promise<Finding> {
  const { config, senderDomain } = parts;
  const [target] = await resolveHosts(await ownMailHosts(parts), parts);
  if (target === undefined)
    return { check: 'callback', state: 'not_checked', seen: `${senderDomain} has no mail server to ask` };
  const dialled = await parts.dialer.dial(target, parts.patience());
  if (dialled.kind !== 'connected')
    return {
      check: 'callback',
      state: 'not_checked',
      seen: `${target.host} (${target.address}) could not be reached`,
    };
  const recipients = [config.mailFrom, `postmaster@${senderDomain}`];
  const said = await converse(
    dialled.socket,
    [
      `EHLO ${parts.heloName}`,
      'MAIL FROM:<>',
      ...recipients.map((recipient) => `RCPT TO:<${recipient}>`),
      'QUIT',
    ],
    parts,
  );
  const [, , , sender, postmaster] = said;
  if (sender === undefined)
    return {
      check: 'callback',
      state: 'not_checked',
      seen: `${target.host} did not answer for ${config.mailFrom}${lastOf(said)}`,
    };
  if (!isYes(sender))
    return {
      check: 'callback',
      state: sender.startsWith('5') ? 'problem' : 'warning',
      seen: `${target.host} refuses mail to the sender ${config.mailFrom}: ${sender}`,
      remedy:
        'Create that mailbox, or set MAILPROOF_MAIL_FROM to one that exists. Mail servers call back and reject senders that do not.',
    };
  if (postmaster !== undefined && !isYes(postmaster))
    return {
      check: 'callback',
      state: 'warning',
      seen: `${target.host} refuses mail to postmaster@${senderDomain}: ${postmaster}`,
      remedy: `Create postmaster@${senderDomain} and abuse@${senderDomain}, and read them (RFC 5321 section 4.5.1, RFC 2142).`,
    };
  return {
    check: 'callback',
    state: 'ok',
    seen: `${target.host} takes mail for ${recipients.join(' and ')}`,
  };
}

function isYes(reply: string): boolean {
  return reply.startsWith('2');
}

function lastOf(said: readonly string[]): string {
  const last = said.at(-1);
  return last === undefined ? '' : `: ${last}`;
}

const mostBytes = 16_384;

/** Says one line after the other; returns the last line of each reply, the greeting first, as far as they came. */
function converse(
  socket: Socket,
  lines: readonly string[],
  { clock, patience }: DoctorParts,
): Promise<string[]> {
  return new Promise((resolve) => {
    const replies: string[] = [];
    let text = '';
    const cancel = clock.after(patience().deadline - clock.now(), end);
    function end(): void {
      cancel();
      socket.destroy();
      resolve(replies);
    }
    socket.on('error', end).on('close', end);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.length > mostBytes) {
        end();
        return;
      }
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
        const line = text.slice(0, at).trimEnd();
        text = text.slice(at + 1);
        if (/^\d{3}-/.test(line)) continue;
        replies.push(printable(line).slice(0, 120));
        const isAtEnd = replies.length > lines.length || (replies.length < 4 && !/^[23]/.test(line));
        if (isAtEnd) {
          end();
          return;
        }
        socket.write(`${lines[replies.length - 1] ?? 'QUIT'}\r\n`);
      }
    });
    socket.resume();
  });
}
