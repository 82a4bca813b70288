import type { VerificationResult } from '@mailproof/client';

type DidYouMeanProps = { result: Pick<VerificationResult, 'username' | 'explanation'> };

/** A slip in the domain is worth more than the verdict on it. */
export function DidYouMean({ result: { explanation, username } }: DidYouMeanProps) {
  const meant = explanation?.did_you_mean;
  if (meant === undefined) return null;
  return (
    <p class="verdict-hint">
      Did you mean <strong>{username === undefined ? meant : `${username}@${meant}`}</strong>?
    </p>
  );
}
