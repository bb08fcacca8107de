/** What a process of an installation begins with. A second entry point: a worker loads nothing else of this room. */
export { openInstallation } from './openInstallation.ts';
export { openSessions } from './openSessions.ts';
