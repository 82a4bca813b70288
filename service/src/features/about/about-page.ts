import type { FastifyReply, FastifyRequest } from 'fastify';
import { aboutPath } from './about-paths.ts';
import type { ApiServer } from '../../core/http/routes/http-parts.ts';
import type { AboutHost } from './about-host.ts';

/**
 * The page for owners of mail servers, who find our HELO name in their logs: who asks, why, and how to opt out. It is
 * at `/about-this-host`, and at `/` under the HELO name itself, which is what they type. It loads nothing.
 */
export function addAboutPage(server: ApiServer, about: AboutHost | undefined): void {
  if (about === undefined) return;
  const page = aboutPage(about);
  server.route({
    method: ['GET', 'HEAD'],
    url: aboutPath,
    schema: { hide: true },
    handler: async (_request, reply) => sendPage(page, reply),
  });
}

/** Answers for the page at `/`; undefined if the request came by another name than ours to mail hosts. */
export function createFrontPage(
  about: AboutHost | undefined,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined {
  if (about === undefined) return () => undefined;
  const page = aboutPage(about);
  const names = new Set(about.heloNames);
  return (request, reply) => (names.has(request.hostname.toLowerCase()) ? sendPage(page, reply) : undefined);
}

function sendPage(page: string, reply: FastifyReply): FastifyReply {
  return reply
    .header(
      'content-security-policy',
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'public, max-age=3600')
    .type('text/html; charset=utf-8')
    .send(page);
}

function aboutPage({ heloNames, mailFrom, contact }: AboutHost): string {
  const names = heloNames.map((name) => `<code>${escaped(name)}</code>`).join(', ');
  const link = contact.startsWith('https:') ? contact : `mailto:${contact}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>About this host</title>
<h1>About this host</h1>
<p>This host checks whether email addresses can receive mail. It introduces itself to mail servers as ${names}, with
the sender <code>${escaped(mailFrom)}</code>.</p>
<h2>What you see in your logs</h2>
<p>A short SMTP conversation that ends after RCPT: EHLO, MAIL, one or a few RCPT, QUIT. One of the recipients is made up,
to learn whether your server accepts every address. No message is ever sent, and DATA is never said.</p>
<h2>Why</h2>
<p>Somebody who holds an address at your domain, in a sign-up form or a mailing list, asked whether mail to it would
bounce. Addresses that do not exist can then be removed before anything is sent to you.</p>
<h2>How to opt out</h2>
<p>Write to <a href="${escaped(link)}">${escaped(contact)}</a> and name your domain, or the name of your mail server. It
is then never asked again: neither the domain, nor its subdomains, nor any domain whose mail goes there. The same
contact takes reports of abuse.</p>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
