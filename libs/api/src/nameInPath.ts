/**
 * Names of workflows in addresses. Not every proxy passes `%2F` on as it is, so a slash of a name can also be written
 * `~`, which no name has: `/v1/workflows/payments~refunds`.
 */
export const nameInPath = (name: string): string => encodeURIComponent(name).replaceAll('%2F', '~');

/** Of a segment that may be written either way. */
export const nameFromPath = (segment: string): string => segment.replaceAll(/~|%2F/gi, '/');

/** The addresses whose parameters are such names, or begin with one. */
export const hasNameInPath = (path: string): boolean => /^\/v1\/(?:workflows|schedules|hooks)\//.test(path);
