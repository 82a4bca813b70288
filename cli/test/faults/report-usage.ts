import { writeFileSync } from 'node:fs';

/** Loaded before a command that is measured: leaves what its process used where it was told to. */
const path = process.env['USAGE_FILE'];
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, peakKb: maxRSS };
  if (path !== undefined) writeFileSync(path, JSON.stringify(usage));
});
