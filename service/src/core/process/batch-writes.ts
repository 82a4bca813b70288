/**
 * Log lines are written in batches, a few dozen at a time or what there is after a moment: one write for every line
 * would cost a busy service more than the line itself. What waits is written when the process exits, possibly before a
 * batch that is being written in that moment. When the process is killed, the lines of the last moment are lost.
 */
export type LogOutput = { write(line: string): void };

const batchCharacters = 8_192;
const longestDelayMs = 100;

export function batchWrites(output: LogOutput): LogOutput {
  let batch = '';
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const lines = batch;
    batch = '';
    if (lines !== '') output.write(lines);
  }

  // Before the output's own listeners, which write what it has been given and close it.
  process.prependListener('beforeExit', flush).prependListener('exit', flush);
  return {
    write: (line) => {
      batch += line;
      if (batch.length >= batchCharacters) flush();
      else timer ??= setTimeout(flush, longestDelayMs).unref();
    },
  };
}
