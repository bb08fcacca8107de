/** What a process of an installation begins with. A second entry point: a worker loads nothing else of this room. */
export { type Installation, openInstallation } from './openInstallation.ts';
export { openStatus } from './openStatus.ts';
