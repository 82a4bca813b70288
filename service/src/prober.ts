/** What a prober outside needs of this package; without the service itself, which would take half of its memory. */
export { StartError } from './core/config/start-error.ts';
export { startProber } from './features/probers/start-prober.ts';
