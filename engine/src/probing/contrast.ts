import type { ReadReply } from '../evidence.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';

/** What one recipient was told: what it means, and the form in which it is kept. */
export type Said = { meaning: ReplyMeaning; read: ReadReply };
