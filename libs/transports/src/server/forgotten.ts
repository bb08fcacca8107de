/**
 * Tells whether a server has forgotten a session, as after a restart. Servers say so in many ways: by a status, by an
 * error, in words of their own. So any refusal of a call is a reason to ping: if the ping is refused too, the session is
 * not known any more.
 */
import type { FailureCode, FailureError } from '@baton/engine';
import { membersOf } from '@baton/primitives';

const suspicious: ReadonlySet<FailureCode> = new Set([
  'server-rejected',
  'server-error',
  'server-unauthorized',
  'invalid-arguments',
  'tool-not-found',
]);

/** Whether the failure of a call may mean that the server does not know the session: a refusal, or a page in its place. */
export const mayBeForgotten = ({ code, delivery }: FailureError): boolean =>
  suspicious.has(code) || (code === 'invalid-result' && delivery === 'unknown');

interface Refusal {
  readonly status: number | undefined;
  readonly code: number | undefined;
  readonly message: string;
}

function refusalOf({ failure: { details } }: FailureError): Refusal {
  const { status, code, message } = membersOf(details);
  return {
    status: typeof status === 'number' ? status : undefined,
    code: typeof code === 'number' ? code : undefined,
    message: typeof message === 'string' ? message : '',
  };
}

/**
 * What the refusals of a call and of the ping after it mean: `kept`: the server knows the session. `lost`: it does not.
 * `unmade`: it does not, and the call was refused for that reason, so it did not run.
 */
export function verdictOf(call: FailureError, ping: FailureError): 'kept' | 'lost' | 'unmade' {
  const [refused, pinged] = [refusalOf(call), refusalOf(ping)];
  if (ping.code === 'server-overloaded') return 'kept';
  // A server may know no ping, and refuse it with an error of its own.
  const isAlike = pinged.code !== undefined && pinged.code === refused.code;
  if (pinged.status === undefined && !isAlike && pinged.code !== undefined) return 'kept';
  if (call.delivery === 'rejected') return 'unmade';
  const isSame = isAlike && pinged.code !== internalError && masked(pinged.message) === masked(refused.message);
  return call.delivery === 'answered' && isSame ? 'unmade' : 'lost';
}

/** JSON-RPC 2.0, section 5.1: a call that met it may have run. */
const internalError = -32_603;

/** Without the ids and times that a server puts into its words. */
const masked = (message: string): string => message.replaceAll(/[\da-f]{4,}|\d+/gi, '#');
