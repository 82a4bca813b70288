import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { ProviderProblem } from '../oidc/create-provider.ts';
import type { RecogniseAnswer } from '../recognise-identity.ts';

/** Why somebody who came back from the provider is not signed in, as a page: a browser shows what it is answered. */
export type SignInRefusal =
  | 'no_visit'
  | 'too_many_attempts'
  | 'busy'
  | ProviderProblem['kind']
  | Exclude<RecogniseAnswer['kind'], 'account' | 'operator'>;

type RefusalText = { status: number; title: string; text: string };

const texts: Readonly<Record<SignInRefusal, RefusalText>> = {
  no_visit: {
    status: 400,
    title: 'This sign-in is over',
    text: 'It took longer than ten minutes, was finished before, or was begun in another browser. Nothing was changed.',
  },
  visit_used: {
    status: 400,
    title: 'This sign-in was finished before',
    text: 'Each sign-in is good once.',
  },
  code_refused: {
    status: 400,
    title: 'This sign-in was finished before',
    text: 'The sign-in service did not take its own code again: it was used already, or is too old.',
  },
  provider_refused: {
    status: 403,
    title: 'The sign-in service said no',
    text: 'You cancelled, or you may not use this application. Ask whoever runs the sign-in service.',
  },
  provider_unavailable: {
    status: 502,
    title: 'The sign-in service does not answer',
    text: 'Try again in a few minutes. If this keeps happening, tell the operator.',
  },
  provider_not_trusted: {
    status: 502,
    title: 'The answer of the sign-in service cannot be trusted',
    text: 'It did not prove that it was meant for you and for this application. You are not signed in. Tell the operator if this keeps happening.',
  },
  not_invited: {
    status: 403,
    title: 'You are not in this account',
    text: 'The sign-in service knows you, but nobody has invited you here. Ask an owner of the account for an invitation, and open its link.',
  },
  invitation_not_found: {
    status: 403,
    title: 'This invitation is no longer good',
    text: 'It was used, withdrawn, or is older than seven days. Ask for a new one.',
  },
  invitation_for_another: {
    status: 403,
    title: 'This invitation is for another address',
    text: 'Sign in with the address that was invited. The sign-in service has to have verified it.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many attempts',
    text: 'Signing in is slowed down after several attempts that failed. Wait a minute and try again.',
  },
  busy: {
    status: 503,
    title: 'Mailproof is busy',
    text: 'You are not signed in yet. This page tries again in a few seconds.',
  },
};

/** Nothing is lost: the browser comes again with the same code. */
const comeAgain = '<meta http-equiv="refresh" content="3">\n';

const style = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }
  a { color: #0b57d0; }
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type Refused = { refusal: SignInRefusal; basePath: string };

export function sendRefusalPage(reply: FastifyReply, refused: Refused): FastifyReply {
  return reply.send(beginRefusalPage(reply, refused));
}

/** Sets the head of the answer and gives the page. Nothing that came with the request stands in it. */
export function beginRefusalPage(reply: FastifyReply, { refusal, basePath }: Refused): string {
  const { status, title, text } = texts[refusal];
  reply
    .code(status)
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${refusal === 'busy' ? comeAgain : ''}<title>${title} · Mailproof</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<p><a href="${basePath}/">Back to Mailproof</a></p>
</main>
</body>
</html>
`;
}
