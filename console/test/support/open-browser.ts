/** The Chromium of this machine, driven by playwright-core: one for each file of tests. */
import { chromium, type Browser } from 'playwright-core';
import { findChromium, notFound } from '../../../scripts/test-programs.ts';

/** Why tests have no browser, or `false`. Suites that need one take it as `skip`, so that the run names them. */
export const withoutChromium: string | false = findChromium() === undefined ? notFound('Chromium') : false;

/** Switches off the browser's own requests, so that all requests are the page's. */
const flags = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
];

export async function openBrowser(): Promise<Browser> {
  const program = findChromium();
  if (program === undefined)
    throw new Error('Chromium was not found. Install it, or name it with MAILPROOF_TEST_CHROMIUM.');
  return await chromium.launch({ executablePath: program, chromiumSandbox: false, args: flags });
}
