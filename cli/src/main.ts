import { exitCodes, type ExitCode } from './command.ts';
import { run } from './run.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/**
 * The `mailproof` command. The first Ctrl-C (or request to terminate) asks the command to stop, which it
 * does after saying goodbye to the hosts it speaks with; the second ends the process at once.
 */
const goodbyeMs = 3_000;
const stop = new AbortController();
const terminal = createTerminal({ input: process.stdin, output: process.stdout, side: process.stderr });

function stopBy(code: ExitCode): () => void {
  return () => {
    if (stop.signal.aborted) process.exit(code);
    stop.abort(code);
  };
}

process.on('SIGINT', stopBy(exitCodes.interrupted));
process.on('SIGTERM', stopBy(exitCodes.terminated));

process.exitCode = await runToTheEnd(terminal);
// Conversations that are saying goodbye end in their own time, within reason; an input still open does not count.
process.stdin.destroy();
setTimeout(() => process.exit(), goodbyeMs).unref();

async function runToTheEnd({ progress, tell }: Terminal): Promise<ExitCode> {
  try {
    return await run(process.argv.slice(2), { terminal, env: process.env, signal: stop.signal });
  } catch (error) {
    progress('');
    if (stop.signal.aborted)
      return stop.signal.reason === exitCodes.terminated ? exitCodes.terminated : exitCodes.interrupted;
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return exitCodes.readerGone;
    tell(
      `mailproof: Internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return exitCodes.defect;
  }
}
