/** Regular expressions (RE2): CEL's `regex` extension, and `regex.split`. */
import { limits } from '../../limits.ts';
import { type PatternMatch, compileCost, compilePattern, readCost } from '../../pattern/pattern.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import type { ExpressionNode } from '../parse.ts';
import { type Type, list, optional, text } from '../type.ts';
import { type Value, Maybe, none } from '../value.ts';
import { asText } from './scalarText.ts';

/** The pattern of `regex.extract(text, pattern)`, if it is written out: it is then compiled before the run. */
export function literalRegex(node: ExpressionNode): string | undefined {
  const pattern = node.op === 'rcall' ? node.args[2][1] : undefined;
  return pattern?.op === 'value' && typeof pattern.args === 'string' ? pattern.args : undefined;
}

function problemIn(node: ExpressionNode, groupsMax: number): string | undefined {
  const source = literalRegex(node);
  if (source === undefined) return undefined;
  const pattern = compilePattern(source);
  if (typeof pattern === 'string') return pattern;
  return pattern.groups > groupsMax ? tooManyGroups(pattern.groups) : undefined;
}

const tooManyGroups = (count: number): string =>
  `the pattern has ${count} groups, and one can be taken out; \`(?:…)\` groups without taking out`;

/** The matches from the first to the last. What is read of the text is charged as it is read. */
function* matchesOf({ e, node, args }: FunctionCall, groupsMax = Infinity): Generator<PatternMatch, void> {
  const [value, source] = [asText(args[0]), asText(args[1])];
  if (literalRegex(node) === undefined) e.charge(compileCost(source));
  const pattern = compilePattern(source);
  if (typeof pattern === 'string') return e.fail(node, () => pattern);
  if (pattern.groups > groupsMax) return e.fail(node, () => tooManyGroups(pattern.groups));
  e.chargeText(value.length);
  for (const match of pattern.matchesIn(value, (characters) => e.charge(characters * readCost(pattern)))) {
    e.charge(matchCost);
    yield match;
  }
}

const matchCost = 10;

/** The group of the pattern, if it has one, or else all that matched. */
const taken = ({ groups }: PatternMatch): string | undefined => groups[groups.length > 1 ? 1 : 0];

function extract(call: FunctionCall): Value {
  for (const match of matchesOf(call, 1)) {
    const found = taken(match);
    return found === undefined ? none : new Maybe(found);
  }
  return none;
}

function extractAll(call: FunctionCall): Value {
  const found: string[] = [];
  for (const match of matchesOf(call, 1)) {
    const one = taken(match);
    if (one !== undefined) found.push(one);
  }
  return call.e.list(found);
}

function replace(call: FunctionCall): Value {
  const { e, args } = call;
  const [value, replacement] = [asText(args[0]), asText(args[2])];
  const most = countIn(args[3]);
  const parts: string[] = [];
  let [from, done, size] = [0, 0, value.length];
  if (most === 0) return value;
  for (const match of matchesOf(call)) {
    const fresh = filled(call, replacement, match);
    size += fresh.length - (match.end - match.start);
    if (size > limits.expression.textCharacters) e.roomForText(size);
    e.chargeText(fresh.length);
    parts.push(value.slice(from, match.start), fresh);
    from = match.end;
    done += 1;
    if (done === most) break;
  }
  parts.push(value.slice(from));
  e.chargeText(size);
  return parts.join('');
}

/** Undefined or below zero: all. */
const countIn = (value: Value | undefined): number => {
  const count = value === undefined ? -1 : Number(value);
  return count < 0 ? Infinity : count;
};

/** `\1` is the first group, `\0` all that matched, and `\\` a backslash. */
function filled({ e, node }: FunctionCall, replacement: string, { groups }: PatternMatch): string {
  return replacement.replaceAll(/\\(.?)/g, (found, mark: string) => {
    if (mark === '\\') return '\\';
    if (!/^\d$/.test(mark)) return e.fail(node, () => `"${found}" means nothing in a replacement; "\\\\1" is a group`);
    if (Number(mark) >= groups.length) return e.fail(node, () => `the pattern has no group ${mark}`);
    return groups[Number(mark)] ?? '';
  });
}

function split(call: FunctionCall): Value {
  const value = asText(call.args[0]);
  const most = countIn(call.args[2]);
  if (most === 0) return call.e.list([]);
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of matchesOf(call)) {
    if (parts.length + 1 >= most) break;
    // An empty match at an end of the text separates nothing.
    if (start === end && (start === 0 || start === value.length)) continue;
    parts.push(value.slice(from, start));
    from = end;
  }
  parts.push(value.slice(from));
  return call.e.list(parts);
}

const self = { name: 'text', kinds: ['text'] } as const;
const pattern = { name: 'pattern', kinds: ['text'] } as const;
const most = { name: 'most', kinds: ['number'], isOptional: true } as const;

interface RegexDraft {
  readonly more?: FunctionSpec['parameters'];
  readonly returns: Type;
  readonly groupsMax?: number;
}

const regex = (
  name: string,
  about: string,
  { more = [], returns, groupsMax = Infinity }: RegexDraft,
  run: FunctionSpec['run'],
): FunctionSpec => ({
  name: `regex.${name}`,
  parameters: [self, pattern, ...more],
  returns,
  about,
  problem: (node) => problemIn(node, groupsMax),
  problemCode: 'invalid-pattern',
  run,
});

export const regexFunctions: readonly FunctionSpec[] = [
  regex(
    'extract',
    'The first match of the pattern (RE2), or its group; none if nothing matches.',
    { returns: optional(text), groupsMax: 1 },
    extract,
  ),
  regex(
    'extractAll',
    'All matches of the pattern, or its group in each.',
    { returns: list(text), groupsMax: 1 },
    extractAll,
  ),
  regex(
    'replace',
    'Replaces every match, or the first `most`; `\\1` in `new` is the first group, `\\0` the whole match.',
    { more: [{ name: 'new', kinds: ['text'] }, most], returns: text },
    replace,
  ),
  regex('split', 'The parts between the matches of the pattern.', { more: [most], returns: list(text) }, split),
];
