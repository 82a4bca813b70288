/** What the service and the command line suggest for a mistyped name is what the engine suggests in its files. */
export { nearestName } from '@mailproof/engine/nearest-name';
