/** Names the commands that find out what became of lost calls. */
import type { UnknownCall } from '@baton/api/client';

/** What there is to do about these calls, and no other. */
export function nextCommands(calls: readonly Pick<UnknownCall, 'question'>[]): string {
  const asking = calls.filter(({ question }) => question !== undefined).length;
  return [
    ...(asking === 0 ? [] : ['baton answer RUN']),
    ...(asking === calls.length ? [] : ['baton runs retry RUN --happened STEP (--not-happened STEP)']),
  ].join(', or ');
}
