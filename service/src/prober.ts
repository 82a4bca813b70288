/** The parts of this package that an outside prober needs. The service itself would take half of its memory. */
export { StartError } from './core/config/start-error.ts';
export { startProber } from './features/probers/start-prober.ts';
