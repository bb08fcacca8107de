const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isRunId(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value);
}
