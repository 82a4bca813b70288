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
  { code: exitCodes.ok, meaning: 'success' },
  {
    code: exitCodes.found,
    meaning: 'finished, but with findings: an address without a result, an invalid line, a problem',
  },
  { code: exitCodes.usage, meaning: 'invalid command line, or it names something that does not exist' },
  { code: exitCodes.environment, meaning: 'invalid setting, or the machine lacks something' },
  { code: exitCodes.defect, meaning: 'internal error in Mailproof' },
  {
    code: exitCodes.interrupted,
    meaning: 'interrupted (Ctrl-C); 143 when terminated, 141 when the output was closed',
  },
];
