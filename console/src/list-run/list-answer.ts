import { keepAnswer, type KeptAnswer } from '@mailproof/client/lists';
import type { ManyAnswer } from '@mailproof/client';
import { noHostAsked, providerOf } from './provider-of.ts';

/** What the page keeps of an answer: what the added columns tell, and what charts and filters go by. */
export type ListAnswer = KeptAnswer & {
  mailHost: string | null;
  /** Who runs it. */
  provider: string;
  /** What the mail host replied about the mailbox. */
  reply: string | null;
};

const replyCharactersMax = 300;

export function answerFrom(answer: ManyAnswer): ListAnswer {
  if (answer.kind === 'rejected')
    return { ...keepAnswer(undefined), mailHost: null, provider: noHostAsked, reply: null };
  const { explanation } = answer.result;
  const told = explanation?.replies.findLast(({ phase }) => phase === 'rcpt') ?? explanation?.replies.at(-1);
  const mailHost = explanation?.mail_host ?? null;
  return {
    ...keepAnswer(answer.result),
    mailHost,
    provider: providerOf(mailHost),
    reply: told === undefined ? null : `${told.code} ${told.text}`.slice(0, replyCharactersMax),
  };
}
