import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

/**
 * The input and output of a command. Only answers go to the output, so that it can be piped; messages to the person
 * go to the side.
 */
export type Terminal = {
  input: Readable;
  inputIsTerminal: boolean;
  /** Resolves once the text is handed over; rejects if the reader has gone. */
  write: (text: string) => Promise<void>;
  /** One line to the person, never part of the answer. */
  tell: (line: string) => void;
  /** A line that the next one replaces; empty takes it away. Does nothing unless a person is watching. */
  progress: (line: string) => void;
  /** Colours the text if the output shows colours. */
  paint: (colour: Colour, text: string) => string;
  /** Whether a person sees what is told. */
  watched: boolean;
  /** Width of the screen, within reason. */
  columns: number;
};

export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';

type Screen = Writable & { isTTY?: boolean; columns?: number; hasColors?(): boolean };

type Streams = { input: Readable & { isTTY?: boolean }; output: Screen; side: Screen };

const eraseLine = '\r\u001b[2K';

export function createTerminal({ input, output, side }: Streams): Terminal {
  const coloured = output.isTTY === true && output.hasColors?.() === true;
  const watched = side.isTTY === true;
  let progressLine = '';

  // A stream without a listener for errors would end the process; the write that failed reports it.
  output.on('error', () => undefined);
  side.on('error', () => undefined);

  /** Writes above the progress line, which stays the last on the screen. */
  function aboveProgress(write: () => void): void {
    if (progressLine !== '') side.write(eraseLine);
    write();
    if (progressLine !== '') side.write(progressLine);
  }

  return {
    input,
    inputIsTerminal: input.isTTY === true,
    watched,
    columns: Math.min(Math.max(output.columns ?? 80, 40), 120),
    write: (text) =>
      new Promise((resolve, reject) => {
        const handedOver = (error: Error | null | undefined) => (error ? reject(error) : resolve());
        if (output.isTTY === true) aboveProgress(() => output.write(text, handedOver));
        else output.write(text, handedOver);
      }),
    tell: (line) => aboveProgress(() => side.write(`${line}\n`)),
    progress(line) {
      if (!watched) return;
      aboveProgress(() => {
        progressLine = line;
      });
    },
    paint: (colour, text) => (coloured ? styleText(colour, text, { validateStream: false }) : text),
  };
}
