/** `server/name` in its two parts; without a slash, the server alone. */
export function splitTarget(target: string): readonly [server: string, name: string] {
  const slash = target.indexOf('/');
  return slash < 0 ? [target, ''] : [target.slice(0, slash), target.slice(slash + 1)];
}
