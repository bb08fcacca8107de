/**
 * The one reading of what servers write, for every transport: JSON-RPC messages in text (JSON-RPC 2.0).
 *
 * It is generous where the meaning is certain: a BOM, a batch, several messages on one line, a message after other
 * output on its line, `null` for the member that is not there. Text that is none of these is returned as it came.
 */
import { defined, isObject, parseExactly } from '@baton/primitives';

export type MessageId = string | number;

/** A request, or without an id a notification. */
export interface Call {
  readonly id?: MessageId;
  readonly method: string;
  readonly params?: unknown;
}

/** `result` and `error` are never null; a server may send both, or neither. */
export interface Answer {
  /** As the server wrote it; absent for null. */
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export type Message = Call | Answer;

/** The server agreed to a `subscriptions/listen` (2026-07-28). */
export const acknowledged = 'notifications/subscriptions/acknowledged';

export const isCall = (message: Message): message is Call => 'method' in message;

/** The text of a message. */
export const textOf = (message: Message): string => JSON.stringify({ jsonrpc: '2.0', ...message });

export interface Reading {
  readonly messages: readonly Message[];
  /** What else was written; empty if there is nothing. */
  readonly rest: string;
}

const nothing: Reading = { messages: [], rest: '' };

export function readMessages(text: string): Reading {
  // A byte order mark counts as white space.
  const written = text.trim();
  if (written === '') return nothing;
  if (!written.includes('{')) return { messages: [], rest: written };
  let value: unknown;
  try {
    value = parseExactly(written);
  } catch {
    return gluedMessages(written);
  }
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  const messages = all.flatMap((one) => messageIn(one) ?? []);
  return { messages, rest: messages.length > 0 && messages.length === all.length ? '' : written };
}

function messageIn(value: unknown): Message | undefined {
  if (!isObject(value)) return undefined;
  const { jsonrpc, id, method, params } = value;
  const isVersion2 = jsonrpc === '2.0';
  const isId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') return isVersion2 ? { method, params, ...(isId ? { id } : {}) } : undefined;
  const result = value['result'] ?? undefined;
  const error = value['error'] ?? undefined;
  // Some servers leave the version out; an id and an answer to it are clear enough.
  if (!isVersion2 && !(isId && (result !== undefined || error !== undefined))) return undefined;
  return {
    ...((id ?? undefined) === undefined ? {} : { id }),
    ...defined({ result, error }),
  };
}

/**
 * Messages one after the other, or after other output on their line. Beside other output only answers count: a server
 * may log the requests that it received.
 */
function gluedMessages(text: string): Reading {
  const messages: Message[] = [];
  const rest: string[] = [];
  for (let at = 0; at < text.length;) {
    const open = text.indexOf('{', at);
    const end = open < 0 ? undefined : endOfObject(text, open);
    if (end === undefined) {
      rest.push(text.slice(at));
      break;
    }
    rest.push(text.slice(at, open));
    const piece = text.slice(open, end);
    const message = parsed(piece);
    if (message === undefined) rest.push(piece);
    else messages.push(message);
    at = end;
  }
  if (rest.join('').trim() === '') return { messages, rest: '' };
  return { messages: messages.filter((message) => !isCall(message)), rest: text };
}

function parsed(piece: string): Message | undefined {
  try {
    return messageIn(parseExactly(piece));
  } catch {
    return undefined;
  }
}

/** Where the object that opens here has ended; undefined if it does not end. */
function endOfObject(text: string, open: number): number | undefined {
  let depth = 0;
  let isText = false;
  for (let at = open; at < text.length; at++) {
    const character = text[at];
    if (isText) {
      if (character === '\\') at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '{') depth += 1;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}

const version = String.raw`(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?`;
const idAtHead = new RegExp(String.raw`^\s*\{\s*${version}"id"\s*:\s*("?)(\d+)\1\s*,\s*${version}"(result|error)"`);
const bodyAtHead = new RegExp(String.raw`^\s*\{\s*${version}"(result|error)"`);
const idAtTail = /,\s*"id"\s*:\s*("?)(\d+)\1\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

export interface SpoiltAnswer {
  readonly id: number;
  /** It holds a result, so the call was made. */
  readonly isResult: boolean;
}

/** The answer in text that is no JSON, or of which only the beginning and the end are known. */
export function spoiltAnswerIn(head: string, tail = head): SpoiltAnswer | undefined {
  const first = idAtHead.exec(head);
  if (first !== null) return { id: Number(first[2]), isResult: first[3] === 'result' };
  const last = idAtTail.exec(tail);
  return last === null ? undefined : { id: Number(last[2]), isResult: bodyAtHead.exec(head)?.[1] === 'result' };
}
