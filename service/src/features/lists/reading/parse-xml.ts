import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { ListProblem } from './list-problem.ts';
import { tooMuch, type WorkbookBudget } from './workbook-budget.ts';
import { workbookLimits } from './workbook-limits.ts';

/**
 * Runs a parser over a part of a workbook and bounds what it holds. The parser keeps the open elements and whatever it is
 * in the middle of, so their depth and length are counted while it reads.
 */
export type XmlHandlers = {
  open: (tag: SaxesTagPlain, name: string) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

/** A cell of a few characters may stand for a long text; rows are handed on after each of these. */
const sliceCharacters = 2_048;

/** Yields after each slice, so that a caller can hand rows on. */
export async function* parseXml(
  pieces: AsyncIterable<Uint8Array>,
  handlers: XmlHandlers,
  budget: WorkbookBudget,
): AsyncGenerator<undefined> {
  const parser = createBoundedParser(handlers, budget);
  for await (const text of decoded(pieces))
    for (let at = 0; at < text.length; at += sliceCharacters) {
      parser.write(text.slice(at, at + sliceCharacters));
      yield undefined;
    }
}

/** Parses a part that hands nothing on, a piece at a time. */
export async function parseWhole(
  pieces: AsyncIterable<Uint8Array>,
  handlers: XmlHandlers,
  budget: WorkbookBudget,
): Promise<void> {
  const parser = createBoundedParser(handlers, budget);
  for await (const text of decoded(pieces)) parser.write(text);
}

async function* decoded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

function createBoundedParser(
  handlers: XmlHandlers,
  budget: WorkbookBudget,
): { write: (text: string) => void } {
  const parser = new SaxesParser();
  let depth = 0;
  let attributes = 0;
  /** Characters since the parser was last done with something: all that it can be holding. */
  let stretch = 0;

  // A document type declares entities, and entities of entities fill a machine's memory. No spreadsheet needs one.
  parser.on('doctype', () => refuse('it declares a document type'));
  parser.on('error', () => refuse('its XML is malformed'));
  parser.on('attribute', ({ name }) => {
    attributes += 1;
    if (attributes > workbookLimits.attributes) refuse('an element has too many attributes');
    checkName(name);
  });
  parser.on('opentag', (tag) => {
    [stretch, attributes] = [0, 0];
    depth += 1;
    if (depth > workbookLimits.depth) refuse('its elements are nested too deeply');
    checkName(tag.name);
    budget.readElement();
    handlers.open(tag, localName(tag.name));
  });
  parser.on('closetag', (tag) => {
    stretch = 0;
    depth -= 1;
    handlers.close?.(localName(tag.name));
  });
  parser.on('text', (text) => {
    stretch = 0;
    handlers.text?.(text);
  });
  const pass = (): void => {
    stretch = 0;
    budget.readElement();
  };
  parser.on('comment', pass);
  parser.on('cdata', (text) => {
    pass();
    handlers.text?.(text);
  });
  parser.on('processinginstruction', pass);

  return {
    write(text) {
      stretch += text.length;
      parser.write(text);
      if (stretch > workbookLimits.stretchCharacters) throw tooMuch('unpacks to far more than it should');
    },
  };
}

function checkName(name: string): void {
  if (name.length > workbookLimits.nameCharacters) refuse('a name in its XML is too long');
}

function refuse(why: string): never {
  throw new ListProblem(
    'invalid_list',
    `The workbook is damaged (${why}). Save it again, or export it as CSV.`,
  );
}

/** Tags may carry any namespace prefix (`x:row`). */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
