/** How a command ends. Scripts rely on these; `--help` and docs/command-line.md list them. */
export const exitCodes = {
  ok: 0,
  found: 1,
  usage: 2,
  environment: 3,
  defect: 70,
  interrupted: 130,
  readerGone: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeMeanings: readonly { code: ExitCode; meaning: string }[] = [
  { code: exitCodes.ok, meaning: 'done' },
  {
    code: exitCodes.found,
    meaning: 'done, but something was found wrong: an address without a verdict, a bad line, a problem',
  },
  { code: exitCodes.usage, meaning: 'the command was not understood, or names something that is not there' },
  { code: exitCodes.environment, meaning: 'a bad setting, or the machine lacks something' },
  { code: exitCodes.defect, meaning: 'a defect of Mailproof' },
  {
    code: exitCodes.interrupted,
    meaning: 'interrupted (Ctrl-C); 143 when terminated, 141 when the reader of the output went away',
  },
];
