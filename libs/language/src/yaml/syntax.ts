/** Translates the composer's errors into our messages. */
import { limits, excerpt, falseSpaceIn } from '@baton/expressions';
import type { ErrorCode, YAMLError } from 'yaml';

import type { FindingCode } from '../findingCodes.ts';
import type { Problem } from '../problem.ts';

type SyntaxComplaint = readonly [code: FindingCode, message: string, hint?: string];

const words: Partial<Record<ErrorCode, SyntaxComplaint>> = {
  TAB_AS_INDENT: ['yaml-tab', 'A tab stands where the indentation is; YAML takes spaces only.', 'use two spaces'],
  BAD_INDENT: ['yaml-indent', 'This line is indented less, or more, than what it belongs to.'],
  BLOCK_AS_IMPLICIT_KEY: [
    'yaml-syntax',
    'A second `: ` on the line: the value reads as another map.',
    'put quotes around the value',
  ],
  MULTILINE_IMPLICIT_KEY: ['yaml-syntax', 'A key has no `:` on its line.', 'write `key: value`'],
  BAD_SCALAR_START: ['yaml-syntax', 'A text without quotes cannot begin with this character.', 'put quotes around it'],
  BAD_DQ_ESCAPE: [
    'yaml-syntax',
    'This is not an escape that double quotes know.',
    'write `\\\\` for a backslash, or use single quotes',
  ],
  BLOCK_IN_FLOW: ['yaml-syntax', 'Inside `{ }` or `[ ]`, a comma or a closing bracket is missing on this line.'],
  KEY_OVER_1024_CHARS: ['yaml-syntax', 'A key is longer than 1024 characters.'],
  NON_STRING_KEY: ['key-not-text', 'A key must be a text, not a list or a map.'],
};

const indented: SyntaxComplaint = [
  'yaml-indent',
  'This line is indented further than the key before it, which has a value already.',
  'give both keys the same indentation',
];

/** One problem per line, and one in all if the rest of the text cannot be attached to anything. */
export function syntaxProblems(text: string, errors: readonly YAMLError[]): Problem[] {
  const problems: Problem[] = [];
  let told = -1;
  for (const error of errors.toSorted((a, b) => a.pos[0] - b.pos[0])) {
    if (problems.length > 0 && followsFromBracket(text, error)) continue;
    const start = Math.min(startOf(text, error), text.length);
    if (start <= told) continue;
    told = lineEnd(text, start);
    problems.push(problemOf(text, error, start));
    const isRestUnread = /in YAML stream|at node end|closing ["']quote/.test(error.message);
    if (problems.length >= limits.document.findings || isRestUnread) break;
  }
  return problems;
}

function problemOf(text: string, error: YAMLError, start: number): Problem {
  const end = Math.max(start + 1, Math.min(endOf(text, error, start), lineEnd(text, start)));
  const [code, message, hint] = unclosed(text, error) ??
    outdented(error) ??
    (isLostIndent(text, error) ? indented : undefined) ??
    textWithColon(text, error) ??
    words[error.code] ??
    missing(error) ?? ['yaml-syntax', sentence(error.message)];
  return { code, pointer: '', span: [start, end], message, hint: falselyIndented(text, start) ?? hint };
}

/** The cause, if this line or the previous one is indented with a character that is no space. */
function falselyIndented(text: string, at: number): string | undefined {
  const start = lineStart(text, at);
  const own = falseSpaceIn(indentAt(text, start));
  if (own !== undefined) return `the line begins with ${own}`;
  const before = start === 0 ? undefined : falseSpaceIn(indentAt(text, lineStart(text, start - 1)));
  return before && `the line before begins with ${before}`;
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;
const indentAt = (text: string, start: number): string => /^\s*/.exec(text.slice(start, start + 200))?.[0] ?? '';

function startOf(text: string, error: YAMLError): number {
  const at = error.pos[0];
  if (isLostIndent(text, error)) return firstSign(text, lineEnd(text, at) + 1);
  const end = closing.exec(error.message)?.[1];
  if (end !== undefined && !text.slice(at).trimStart().startsWith(end)) {
    const opened = openBracket(text, end, at);
    if (opened >= 0) return opened;
  }
  const quote = /closing (["'])quote/.exec(error.message)?.[1];
  const opened = quote === undefined ? -1 : text.lastIndexOf(quote, at - 1);
  return opened < 0 ? firstSign(text, at) : opened;
}

/** Whether a key is indented further than the previous value, so that YAML continues that value. */
function isLostIndent(text: string, { code, pos }: YAMLError): boolean {
  return code === 'BLOCK_AS_IMPLICIT_KEY' && !/:( |$)/.test(text.slice(pos[0], lineEnd(text, pos[0])));
}

/** Moves an error from white space to the text behind it. */
function firstSign(text: string, at: number): number {
  const isAtLineStart = at === 0 || text[at - 1] === '\n';
  return isAtLineStart ? at + (/^ *(?=[^\s])/.exec(text.slice(at, at + 200))?.[0].length ?? 0) : at;
}

/** The composer marks one character although it means a whole value. */
function endOf(text: string, { code, pos }: YAMLError, start: number): number {
  if (code === 'BLOCK_AS_IMPLICIT_KEY') return lineEnd(text, start);
  return code === 'BAD_DQ_ESCAPE' ? start + 2 : pos[1];
}

/** Inside brackets, a value with a second `: `: rather a text that needs quotes than a key after a missing comma. */
function textWithColon(text: string, { code, pos }: YAMLError): SyntaxComplaint | undefined {
  if (code !== 'BLOCK_IN_FLOW') return undefined;
  const rest = text.slice(pos[0], lineEnd(text, pos[0]));
  const value = /^([^\s,{}[\]"'#][^,{}[\]"'#]*?):\s[^,}\]]*/.exec(rest);
  if (value === null) return undefined;
  const [written, before = ''] = value;
  const inQuotes = `put quotes around the text: \`"${excerpt(written.trim(), 60)}"\``;
  const hint = /\s/.test(before) ? `${inQuotes}, or a comma before the next key` : inQuotes;
  return ['yaml-syntax', 'A second `: ` inside `{ }` or `[ ]`: the value reads as another key.', hint];
}

const closing = /must be sufficiently indented and end with a ([\]}])/;

/** A list or a map in brackets that the rest of the text does not close. */
function unclosed(text: string, { message, pos }: YAMLError): SyntaxComplaint | undefined {
  const end = closing.exec(message)?.[1];
  if (end === undefined) return undefined;
  const [what, begin] = end === ']' ? ['list', '['] : ['map', '{'];
  if (text.slice(pos[0]).trimStart().startsWith(end))
    return ['yaml-indent', `The closing \`${end}\` is indented no further than the key of its ${what}.`];
  return ['yaml-syntax', `The ${what} that begins with \`${begin}\` is not closed.`, `add the closing \`${end}\``];
}

/** Whether a bracket should be closed that is not even open: the brackets before it do not fit each other. */
function followsFromBracket(text: string, { message, pos }: YAMLError): boolean {
  const end = closing.exec(message)?.[1];
  return end !== undefined && !text.slice(pos[0]).trimStart().startsWith(end) && openBracket(text, end, pos[0]) < 0;
}

/** The last bracket before `at` that is not closed before it; -1 if there is none. */
function openBracket(text: string, end: string, at: number): number {
  const begin = end === ']' ? '[' : '{';
  let closed = 0;
  for (let i = at - 1; i >= 0; i--) {
    if (text[i] === end) closed++;
    else if (text[i] === begin && closed-- === 0) return i;
  }
  return -1;
}

/** An item of a list with less indentation than the others, but more than the list's key. */
function outdented({ message }: YAMLError): SyntaxComplaint | undefined {
  if (message.startsWith('Sequence item without - indicator')) {
    return [
      'yaml-indent',
      'This line belongs neither to the item of the list before it nor to the next one.',
      'give the keys of an item the same indentation',
    ];
  }
  if (!message.startsWith('A block sequence may not be used as an implicit map key')) return undefined;
  return [
    'yaml-indent',
    'This item is indented otherwise than the other items of its list.',
    'give all of them the same indentation',
  ];
}

function missing({ code, message }: YAMLError): SyntaxComplaint | undefined {
  if (message.startsWith('Unexpected scalar at node end')) {
    const hint = 'a quote inside a text in quotes is written `\\"`; an expression takes single quotes too';
    return ['yaml-syntax', 'The value has ended before this.', hint];
  }
  if (code !== 'MISSING_CHAR') return undefined;
  if (message.includes('quote')) return ['yaml-syntax', 'A text in quotes is not closed.', 'add the closing quote'];
  if (message.includes('map values')) return ['yaml-syntax', 'A key is not followed by `:`.', 'write `key: value`'];
  return undefined;
}

const sentence = (message: string): string => `YAML: ${excerpt(message.replace(/\.$/, ''))}.`;

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
