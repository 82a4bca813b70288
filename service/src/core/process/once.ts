/** Does the work at the first call; the calls after it get the same promise. */
export function once<Made>(work: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => (made ??= work());
}
