/** Debian's Chromium, driven by playwright-core: one for each file of tests. */
import { chromium, type Browser } from 'playwright-core';
import { ensureDebianPackages } from '../../../scripts/debian-packages.ts';

const program = '/usr/bin/chromium';

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
  await ensureDebianPackages([{ name: 'chromium', proof: program }]);
  return await chromium.launch({ executablePath: program, chromiumSandbox: false, args: flags });
}
