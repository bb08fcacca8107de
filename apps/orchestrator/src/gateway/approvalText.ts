/** What a person reads before a call is made. A model chose the arguments, and may try to hide some of them. */
import type { JsonObject } from '@baton/language';
import { excerpt } from '@baton/language';

export interface AskedApproval {
  /** Name of the client, as it says itself. */
  readonly client: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

const argumentsMax = 2_000;
const clientMax = 64;
/** Of a text that is shortened. Both ends are shown: padding in front hides nothing. */
const ends = { first: 120, last: 60 };

export function approvalText({ client, server, tool, arguments: given }: AskedApproval): string {
  return `${excerpt(client, clientMax)} wants to call ${server}/${tool}, which may change something, with ${shown(given)}`;
}

function shown(given: JsonObject): string {
  const whole = JSON.stringify(given);
  if (whole.length <= argumentsMax) return excerpt(whole, argumentsMax);
  const short = JSON.stringify(given, (_, value: unknown) => (typeof value === 'string' ? shortened(value) : value));
  const excerpted = excerpt(short, argumentsMax);
  return `arguments of ${whole.length} characters, which are shortened here and whole in the journal of the run: ${excerpted}`;
}

function shortened(text: string): string {
  const { first, last } = ends;
  const left = text.length - first - last;
  return left <= last ? text : `${text.slice(0, first)} …${left} more characters… ${text.slice(-last)}`;
}
