/** The part of a run's id that tells runs apart: its first eight characters are the same for a minute (RFC 9562, 5.7). */
export const shortRunId = (id: string): string => id.slice(0, 13);
