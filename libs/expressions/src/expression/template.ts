/** JSON in which texts may hold `${{ … }}`. */
import { isObject, type Json, type JsonObject } from '@baton/primitives';

import { type Edition, editionNow } from '../edition.ts';
import { EvaluationError } from '../evaluationError.ts';
import { limits } from '../limits.ts';
import { childOf } from '../source/pointer.ts';
import { describeValue } from './describeValue.ts';
import { BudgetSpent, Evaluation } from './evaluation.ts';
import type { References, Scope, Template } from './expression.ts';
import { SyntaxProblem } from './parse.ts';
import { measureSize, refuseDeep, toText } from './result.ts';
import { type OpenPart, scan } from './scan.ts';
import { type CompiledSource, compileSource, evaluateOptional, explained, readsNothing } from './source.ts';

/** An expression inside a text. */
export interface Placeholder {
  readonly source: string;
  /** Where its text begins. */
  readonly start: number;
}

export type TemplatePiece = string | Placeholder;

export interface TemplatePieces {
  readonly pieces: readonly TemplatePiece[];
  /** Index of a `${{` without an end. */
  readonly unclosedAt: number | undefined;
  /** What caused it, if known. */
  readonly open?: OpenPart | undefined;
}

const opening = '${{';
const closing = '}}';

export function piecesOf(text: string): TemplatePieces {
  const pieces: TemplatePiece[] = [];
  let from = 0;
  for (let open = text.indexOf(opening); open >= 0; open = text.indexOf(opening, from)) {
    const start = open + opening.length;
    const { end, tooDeepAt, open: cause } = scan(text, start);
    if (end === undefined && tooDeepAt === undefined) return { pieces, unclosedAt: open, open: cause };
    const stop = end ?? text.length;
    if (open > from) pieces.push(text.slice(from, open));
    pieces.push({ source: text.slice(start, stop), start });
    from = Math.min(stop + closing.length, text.length);
  }
  if (from < text.length) pieces.push(text.slice(from));
  return { pieces, unclosedAt: undefined };
}

export function unclosed(at: number, open: OpenPart | undefined): SyntaxProblem {
  if (open === undefined) {
    return new SyntaxProblem('expression-unclosed', 'This `${{` has no `}}`.', [at, at + opening.length], 'add `}}`');
  }
  const [message, hint] = openParts[open.part];
  return new SyntaxProblem('expression-unclosed', message, [open.at, open.at + 1], hint);
}

const openParts: Readonly<Record<OpenPart['part'], readonly [message: string, hint: string]>> = {
  cut: [
    'This text inside the expression is cut off by the end of its line.',
    'write a line end as `\\n`; within the double quotes of YAML, as `\\\\n`',
  ],
  text: ['This text inside the expression is not closed.', 'close its quote'],
  map: ['This `{` inside the expression is not closed.', 'close it before the end of the expression: `} }}`'],
};

/** The expression, if a text is nothing else: it then keeps the expression's type. */
export function loneExpression(pieces: readonly TemplatePiece[]): Placeholder | undefined {
  const holes = pieces.filter((piece): piece is Placeholder => typeof piece !== 'string');
  const isAlone = pieces.every((piece) => typeof piece !== 'string' || piece.trim() === '');
  return isAlone && holes.length === 1 ? holes[0] : undefined;
}

/** Undefined: none. */
type PlaceholderRender = (e: Evaluation) => Json | undefined;
type Part = { readonly constant: Json } | { readonly fill: PlaceholderRender };

interface TemplateReferences {
  readonly names: Set<string>;
  readonly steps: Set<string>;
  readonly secrets: Set<string>;
  readonly inputs: Set<string>;
  readsAllInputs: boolean;
  holes: number;
}

/**
 * A key of a map whose value is none is left out; in texts, lists and alone none is null, and so it is in maps of the first
 * edition. Throws `SyntaxProblem`; a document that was checked holds nothing that throws.
 */
export function compileTemplate<T extends Json = Json>(
  value: T,
  pointer: string,
  edition: Edition = editionNow,
): Template<T> {
  const building = noReferences();
  const part = compilePart(building, value, pointer);
  const references = { ...collected(building), ...handlerVisibility(edition) };
  if ('constant' in part) {
    const constant = { value: part.constant as T };
    return { pointer, ...references, constant, evaluate: () => constant.value };
  }
  const { fill } = part;
  const isShared = building.holes > 1;
  return {
    pointer,
    ...references,
    evaluate: (scope) => {
      const e = new Evaluation(scope, undefined, edition);
      const filled = (fill(e) ?? null) as T;
      // The limits apply to the whole value, including what its expressions made.
      if (building.holes > 0) checkMade(e, filled, pointer, isShared);
      return filled;
    },
  };
}

/** Whether an expression sees the steps of handlers, by edition. */
export const handlerVisibility = (edition: Edition): Pick<References, 'seesHandlers'> =>
  edition > 2 ? { seesHandlers: true } : {};

/** A template whose value must be a map: the arguments of a call, written out or computed as a whole. */
export function compileMapTemplate(value: Json, pointer: string, edition?: Edition): Template<JsonObject> {
  const template = compileTemplate(value, pointer, edition);
  const asMap = (filled: Json): JsonObject => {
    if (isObject(filled)) return filled;
    throw new EvaluationError('expression-failed', `a map is needed, and here is ${describeValue(filled)}.`, pointer);
  };
  const { constant, ...rest } = template;
  const computed = { ...rest, evaluate: (scope: Scope) => asMap(template.evaluate(scope)) };
  return constant === undefined ? computed : { ...computed, constant: { value: asMap(constant.value) } };
}

/** `isShared`: several expressions fill it, each of which may be within the limits by itself. */
function checkMade(e: Evaluation, filled: Json, pointer: string, isShared: boolean): void {
  try {
    if (isShared) measureSize(e, filled, limits.value.resultBytes);
    else refuseDeep(filled);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    const message = `What is written here with its expressions was given up: ${error.message}.`;
    throw new EvaluationError('expression-budget', message, pointer, { cause: error });
  }
}

function compilePart(building: TemplateReferences, value: Json, pointer: string): Part {
  if (typeof value === 'string')
    return value.includes(opening) ? compileText(building, value, pointer) : { constant: value };
  if (typeof value !== 'object' || value === null) return { constant: value };
  if (isList(value)) {
    const parts = value.map((item, i) => compilePart(building, item, childOf(pointer, i)));
    if (parts.every((part) => 'constant' in part)) return { constant: parts.map((part) => part.constant) };
    const fills = parts.map(fillOf);
    return { fill: (e) => fills.map((fill) => fill(e) ?? null) };
  }
  const parts = Object.entries(value).map(
    ([key, item]) => [key, compilePart(building, item, childOf(pointer, key))] as const,
  );
  const constants = parts.flatMap(([key, part]) => ('constant' in part ? [[key, part.constant] as const] : []));
  if (constants.length === parts.length) return { constant: Object.fromEntries(constants) };
  const fills = parts.map(([key, part]) => [key, fillOf(part)] as const);
  return {
    fill: (e) => {
      const filled: Record<string, Json> = {};
      for (const [key, fill] of fills) {
        const one = fill(e);
        if (one !== undefined || !e.omitsNone) filled[key] = one ?? null;
      }
      return filled;
    },
  };
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const fillOf = (part: Part): PlaceholderRender => ('fill' in part ? part.fill : () => part.constant);

function compileText(building: TemplateReferences, text: string, pointer: string): Part {
  const { pieces, unclosedAt, open } = piecesOf(text);
  if (unclosedAt !== undefined) throw unclosed(unclosedAt, open);
  const lone = loneExpression(pieces);
  if (lone !== undefined) return compileHole(building, lone, pointer);
  const parts = pieces.map((piece) =>
    typeof piece === 'string' ? { constant: piece } : compileHole(building, piece, pointer),
  );
  const fills = parts.map(fillOf);
  const join = (e: Evaluation): string => {
    try {
      const texts = fills.map((fill) => toText(e, fill(e) ?? null, limits.expression.textCharacters));
      e.roomForText(texts.reduce((sum, one) => sum + one.length, 0));
      return texts.join('');
    } catch (error) {
      throw explained(error, text, pointer);
    }
  };
  return parts.every((part) => 'constant' in part) ? { constant: join(new Evaluation({})) } : { fill: join };
}

function compileHole(building: TemplateReferences, { source }: Placeholder, pointer: string): Part {
  const compiled = compileSource(source);
  // It reads nothing that can change, so its value is computed now. If that fails, the run reports it.
  const fill: PlaceholderRender = (e) => evaluateOptional(e, compiled, pointer);
  if (readsNothing(compiled)) return constantOf(compiled, pointer) ?? { fill };
  building.holes++;
  collect(building, compiled);
  return { fill };
}

function constantOf(compiled: CompiledSource, pointer: string): Part | undefined {
  try {
    const constant = evaluateOptional(new Evaluation({}, limits.document.constantCost), compiled, pointer);
    return constant === undefined ? undefined : { constant };
  } catch (error) {
    if (error instanceof EvaluationError) return undefined;
    throw error;
  }
}

const noReferences = (): TemplateReferences => ({
  names: new Set(),
  steps: new Set(),
  secrets: new Set(),
  inputs: new Set(),
  readsAllInputs: false,
  holes: 0,
});

function collect(building: TemplateReferences, { reading }: Pick<CompiledSource, 'reading'>): void {
  const { names, steps, secrets, inputs } = building;
  for (const name of reading.names) names.add(name);
  for (const { of, name } of reading.members) if (name !== undefined) (of === 'steps' ? steps : secrets).add(name);
  for (const name of reading.inputs ?? []) inputs.add(name);
  building.readsAllInputs ||= reading.inputs === undefined;
}

const collected = ({ names, steps, secrets, inputs, readsAllInputs }: TemplateReferences): References => ({
  names: [...names],
  steps: [...steps],
  secrets: [...secrets],
  ...(readsAllInputs ? {} : { inputs: [...inputs] }),
});

export function referencesOf(compiled: Pick<CompiledSource, 'reading'>): References {
  const building = noReferences();
  collect(building, compiled);
  return collected(building);
}
