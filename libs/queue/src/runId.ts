const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isRunId(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value);
}

/** The run's id out of a job's data, which anyone with access to the queue may have written, or emptied. */
export function runIdOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('run' in data)) return undefined;
  return isRunId(data.run) ? data.run : undefined;
}
