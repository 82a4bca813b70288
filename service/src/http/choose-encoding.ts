/**
 * Which of the encodings at hand a client prefers us to send (RFC 9110 section 12.5.3): one it takes, the earlier in
 * our list the better. `identity` is sent where it takes none, or says nothing.
 */
export function chooseEncoding<Encoding extends string>(
  acceptEncoding: string | undefined,
  atHand: readonly Encoding[],
): Encoding | 'identity' {
  const weights = readWeights(acceptEncoding ?? '');
  const taken = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0;
  return atHand.find((encoding) => encoding !== 'identity' && taken(encoding) > 0) ?? 'identity';
}

function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, /^(?:0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/.test(quality) ? Number(quality) : 0);
  }
  return weights;
}
