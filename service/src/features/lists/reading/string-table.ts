import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ListProblem } from './list-problem.ts';
import { workbookLimits } from './workbook-limits.ts';

/**
 * The texts that cells of a workbook refer to by number, packed in blocks: a million of them as JavaScript strings would
 * take more than one upload may. Programs number them in the order of the cells, so few blocks are unpacked at a time.
 */
export type SharedStrings = {
  add: (text: string) => void;
  /** Empty if there is no text of that number. */
  at: (number: number) => string;
};

type Block = { first: number; packed: Uint8Array };
/** Begins with where each of its texts ends. */
type OpenBlock = { bytes: Buffer; texts: number };

const blockBytes = 65_536;
const blockTexts = 4_096;
const blocksOpen = 96;

export function createSharedStrings(): SharedStrings {
  const blocks: Block[] = [];
  const opened = new Map<Block, OpenBlock>();
  let unfinished: string[] = [];
  let [unfinishedBytes, count, characters, packedBytes, unpackings] = [0, 0, 0, 0, 0];

  function pack(): void {
    const bytes = Buffer.allocUnsafe(unfinished.length * 4 + unfinishedBytes);
    let at = unfinished.length * 4;
    for (const [index, text] of unfinished.entries()) {
      at += bytes.write(text, at);
      bytes.writeUInt32LE(at, index * 4);
    }
    const packed = deflateRawSync(bytes.subarray(0, at), { level: 1 });
    packedBytes += packed.length;
    if (packedBytes > workbookLimits.sharedPackedBytes) throw tooMuchText();
    blocks.push({ first: count - unfinished.length, packed });
    [unfinished, unfinishedBytes] = [[], 0];
  }

  function open(block: Block): OpenBlock {
    const known = opened.get(block);
    if (known !== undefined) return known;
    unpackings += 1;
    if (unpackings > blocks.length + workbookLimits.sharedUnpackings) throw tooMuchText();
    const bytes = inflateRawSync(block.packed);
    const next = blocks[blocks.indexOf(block) + 1]?.first ?? count - unfinished.length;
    const [oldest] = opened.keys();
    if (opened.size >= blocksOpen && oldest !== undefined) opened.delete(oldest);
    const unpacked = { bytes, texts: next - block.first };
    opened.set(block, unpacked);
    return unpacked;
  }

  return {
    add(text) {
      unfinished.push(text);
      unfinishedBytes += Buffer.byteLength(text);
      count += 1;
      characters += text.length;
      if (count > workbookLimits.sharedStrings || characters > workbookLimits.sharedCharacters)
        throw tooMuchText();
      if (unfinishedBytes >= blockBytes || unfinished.length >= blockTexts) pack();
    },
    at(number) {
      const block = Number.isInteger(number) && number >= 0 ? blockOf(blocks, number) : undefined;
      const start = count - unfinished.length;
      if (block === undefined || number >= start) return unfinished[number - start] ?? '';
      const { bytes, texts } = open(block);
      const index = number - block.first;
      const begin = index === 0 ? texts * 4 : bytes.readUInt32LE((index - 1) * 4);
      return bytes.toString('utf8', begin, bytes.readUInt32LE(index * 4));
    },
  };
}

/** The last block that begins at or before this number. */
function blockOf(blocks: readonly Block[], number: number): Block | undefined {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.first ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return blocks[low - 1];
}

function tooMuchText(): ListProblem {
  return new ListProblem(
    'list_too_large',
    'The workbook holds too much text. Export the list as CSV and upload that.',
  );
}
