/** What a reply says, in the labels the accuracy corpora use. */
export type ReplyLabel =
  | 'accepted'
  | 'mailbox_not_exist'
  | 'mailbox_full'
  | 'mailbox_disabled'
  | 'greylisted_or_temporary'
  | 'blocked_or_policy'
  | 'other';

/** The label, and a stable snake_case code for the finer reason (`over_quota`, `listed_by_blocklist` …). */
export type ReplyMeaning = { label: ReplyLabel; reason: string };

/** A reply as `classifyReply` takes it; `provider` is an id of the provider table. */
export type ReplyToClassify = {
  code: number;
  enhanced: string | undefined;
  text: string;
  provider: string | undefined;
};

/** Who talks to whom: with it, a reply that names our side and not the recipient is known for what it is. */
export type ReplyParties = {
  /** Our envelope sender; empty for the null sender. */
  sender: string;
  heloName: string;
  /** The IP address we connect from, where it is known. */
  egressAddress?: string | undefined;
  recipient: string;
};
