import type { Call } from './event.ts';
import type { SessionTarget } from './sessionTarget.ts';

/** The tool, the prompt or the resource address of a call; undefined for a sample. */
export function calledName(call: Exclude<Call, { verb: 'sample' }> | SessionTarget): string;
export function calledName(call: Call): string | undefined;
export function calledName(call: Call | SessionTarget): string | undefined {
  switch (call.verb) {
    case 'tool':
      return call.tool;
    case 'prompt':
      return call.prompt;
    case 'resource':
      return call.uri;
    case 'sample':
      return undefined;
  }
}

/** `server/tool`, `server/prompt`, `server/uri`; undefined for a sample. */
export function targetOfCall(call: Exclude<Call, { verb: 'sample' }> | SessionTarget): string;
export function targetOfCall(call: Call | SessionTarget): string | undefined;
export function targetOfCall(call: Call | SessionTarget): string | undefined {
  return call.verb === 'sample' ? undefined : `${call.server}/${calledName(call)}`;
}
