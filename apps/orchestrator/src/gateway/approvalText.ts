/**
 * What a person reads before a call is made. A model chose the arguments, and may try to hide some of them: each value has
 * a line and a budget of its own, so that neither padding nor letters from right to left reach another one.
 */
import { excerpt } from '@baton/expressions';
import { type Json, type JsonObject, withEscapes } from '@baton/primitives';

export interface AskedApproval {
  /** The key or the person that the client calls for. */
  readonly holder: { readonly kind: 'key' | 'person'; readonly name: string };
  /** The name and id of the client that the holder connected; absent: it has the key itself. */
  readonly connected?: string | undefined;
  /** Name of the client, as it says itself. */
  readonly client: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

const clientMax = 64;
const linesMax = 40;
const nameMax = 120;
/** Of a longer value. Both ends are shown. */
const ends = { first: 180, last: 60 };
/** A client may show no more of a question. */
const charactersMax = 4_000;

const elsewhere = 'More than can be shown here: look at the run in Baton, which has them whole, and answer there.';

/** One value a line: texts, numbers and empty lists inside the arguments have lines of their own. */
export function approvalText({ holder, connected, client, server, tool, arguments: given }: AskedApproval): string {
  const who = `The ${holder.kind} ${named(excerpt(holder.name, clientMax))}`;
  const through = connected === undefined ? '' : `, through the connected client ${quoted(connected, nameMax)}`;
  const caller = `${who}${through}, by a client that calls itself ${quoted(client, clientMax)},`;
  const wish = `${caller} wants to call ${named(`${server}/${tool}`)}, which may change something`;
  if (Object.keys(given).length === 0) return `${wish}, without arguments.`;
  const lines = linesOf(given);
  const text = lines && [`${wish}, with these arguments:`, ...lines].join('\n');
  if (text !== undefined && text.length <= charactersMax) return text;
  return `${wish}, with ${JSON.stringify(given).length} characters of arguments. ${elsewhere}`;
}

const quoted = (text: string, most: number): string => JSON.stringify(excerpt(text, most));

/** Whether a person who reads only the question has seen every argument. */
export const showsArguments = (approval: string): boolean => !approval.endsWith(elsewhere);

/** Undefined: there are too many, or a name is too long. */
function linesOf(given: JsonObject): readonly string[] | undefined {
  const lines: string[] = [];
  const left: [name: string, value: Json][] = [['', given]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [name, value] = next;
    const inner = innerOf(name, value);
    // Before they are put in order: a list may be as long as the request.
    if (name.length > nameMax || lines.length + left.length + inner.length > linesMax) return undefined;
    if (inner.length === 0) lines.push(`${name}: ${shortened(withEscapes(JSON.stringify(value)))}`);
    else left.push(...inner.toReversed());
  }
  return lines;
}

function innerOf(name: string, value: Json): readonly [name: string, value: Json][] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.map((item: Json, at): [string, Json] => [`${name}[${at}]`, item]);
  const isOuter = name === '';
  return Object.entries(value).map(([key, item]) => [isOuter ? named(key) : `${name}.${named(key)}`, item]);
}

/** Other names are quoted, in letters from left to right: the line begins with a name. */
const named = (name: string): string =>
  /^[\w./:-]+$/.test(name) ? name : withEscapes(JSON.stringify(name)).replaceAll(/[^\x20-\x7e]/g, escaped);

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function shortened(text: string): string {
  const { first, last } = ends;
  const left = text.length - first - last;
  if (left <= last) return text;
  const [head, tail] = [text.slice(0, first), text.slice(-last)].map((part) => part.toWellFormed());
  return `${head}… (${left} more characters) …${tail}`;
}
