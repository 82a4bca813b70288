/** What a prober outside needs of this package; without the service itself, which would take half of its memory. */
export { StartError } from './start-error.ts';
export { startProber } from './start/start-prober.ts';
