/** What a run is called as a resource. */
const scheme = 'run://';

export const uriOf = (runId: string): string => `${scheme}${runId}`;

/** Empty for what is no run's. */
export const runIdOf = (uri: string): string => (uri.startsWith(scheme) ? uri.slice(scheme.length) : '');
