import { reasonText } from '@mailproof/client';

/** Why a row of a list has no answer. */
const withoutAnswer: Readonly<Record<string, string>> = {
  blank: 'There is nothing in the address column.',
  pending: 'Not checked yet.',
  waiting: 'The mail server asked us to come back later.',
  not_wanted: 'This address was not selected for checking.',
  cancelled: 'The list was cancelled before this address was checked.',
};

/** A reason of a newer service than this page is shown by its name. */
export function reasonSentence(reason: string): string {
  const own = Object.hasOwn(withoutAnswer, reason) ? withoutAnswer[reason] : undefined;
  return own ?? reasonText(reason) ?? reason.replaceAll('_', ' ');
}
