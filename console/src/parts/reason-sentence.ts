import { reasonText } from '@mailproof/client';

/** A reason of a newer service than this page is shown by its name. */
export function reasonSentence(reason: string): string {
  return reasonText(reason) ?? reason.replaceAll('_', ' ');
}
