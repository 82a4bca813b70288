/**
 * Lines are handed on together, a few dozen at a time or what there is after a moment: to hand on every one by itself
 * would cost a busy service more than to make it. What waits is handed on when the process ends, however it comes to
 * its end by itself; only a kill loses that moment's lines.
 */
export type Lines = { write(line: string): void };

const mostCharacters = 8_192;
const momentMs = 100;

export function gatherLines(output: Lines): Lines {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;

  function handOn(): void {
    clearTimeout(timer);
    timer = undefined;
    const lines = waiting;
    waiting = '';
    if (lines !== '') output.write(lines);
  }

  // Before the output's own listeners, which write what it has been handed and close it.
  process.prependListener('beforeExit', handOn).prependListener('exit', handOn);
  return {
    write: (line) => {
      waiting += line;
      if (waiting.length >= mostCharacters) handOn();
      else timer ??= setTimeout(handOn, momentMs).unref();
    },
  };
}
