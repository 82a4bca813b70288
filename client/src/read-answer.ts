import type { Answer } from './exchange.ts';
import { MailproofError } from './mailproof-error.ts';

/** What the client adds to an answer, from its headers. */
export type AnswerNotes = {
  /** Credits charged for a single verification; reserved or charged for a task at that moment. */
  creditsUsed: number;
  requestId: string | undefined;
};

/** The body of a success, checked as far as the rest relies on it, with the notes. */
export function readAnswer<Body extends object>(
  { status, body, requestId, creditsUsed }: Answer,
  isWhatWasAsked: (body: object) => body is Body,
): Body & AnswerNotes {
  if (typeof body !== 'object' || body === null || !isWhatWasAsked(body))
    throw new MailproofError('unexpected_answer', { status, requestId });
  return { ...body, creditsUsed, requestId };
}

export function hasText(body: object, name: string): boolean {
  return typeof Object.entries(body).find(([key]) => key === name)?.[1] === 'string';
}
