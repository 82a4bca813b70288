/** Does the work at the first call; later calls get the same promise. */
export function once<Made>(work: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => (made ??= work());
}
