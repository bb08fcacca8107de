/** The URI of a run as a resource. */
const scheme = 'run://';

export const uriOf = (runId: string): string => `${scheme}${runId}`;

/** Empty if the URI is not that of a run. */
export const runIdOf = (uri: string): string => (uri.startsWith(scheme) ? uri.slice(scheme.length) : '');
