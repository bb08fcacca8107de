/** Checks the expressions at one place of a workflow: their syntax, what they read, and their types. */
import {
  EvaluationError,
  Evaluation,
  type Guards,
  nullTestsIn,
  presenceTestsIn,
  infer,
  type InferenceScope,
  type ExpressionNode,
  SyntaxProblem,
  type MemberReference,
  type CompiledSource,
  compileSource,
  evaluateIn,
  readsNothing,
  type TemplatePiece,
  loneExpression,
  piecesOf,
  unclosed,
  type Type,
  types,
  limits,
  quoted,
  didYouMean,
  childOf,
} from '@baton/expressions';
import type { Json } from '@baton/primitives';

import type { Problem } from '../problem.ts';
import type { ExpressionSite, CheckRun } from './checkRun.ts';
import { noteForeignBraces } from './foreignBraces.ts';
import { unhyphened } from './hyphens.ts';
import { type StepsInScope, stepRef } from './scope.ts';
import { checkSecretReference, hookSecretHint } from './secrets.ts';
import { whyNot } from './stepIndex.ts';
import { outputOf } from './stepType.ts';
import { mayHoldFreeText } from './textFlow.ts';

/** A place whose expressions are checked. */
/** A JSON value whose texts may hold `${{ … }}`: its type. */
export const checkTemplate = (site: ExpressionSite, value: Json, pointer: string): Type =>
  types.settled(checkValue(site, value, pointer));

/** The same; optional if the result may be none. */
function checkValue(site: ExpressionSite, value: Json, pointer: string): Type {
  if (typeof value === 'string') return checkText(site, value, pointer);
  if (typeof value !== 'object' || value === null) return types.typeOfValue(value);
  if (Array.isArray(value))
    return types.list(types.union(value.map((one: Json, i) => checkTemplate(site, one, childOf(pointer, i)))));
  const fields: Record<string, Type | types.Field> = {};
  for (const [key, one] of Object.entries(value)) {
    const at = childOf(pointer, key);
    if (key.includes('${{')) {
      const message = 'A key cannot be computed.';
      site.checking.report({ code: 'expression-misplaced', pointer: at, at: 'key', message });
    }
    fields[key] = types.fieldOf(checkValue(site, one, at));
  }
  return types.map(fields);
}

function checkText(site: ExpressionSite, text: string, pointer: string): Type {
  const { pieces, unclosedAt, open } = piecesOf(text);
  if (unclosedAt !== undefined) reportSyntax(site, unclosed(unclosedAt, open), pointer, 0);
  const lone = loneExpression(pieces);
  const typeOf = (piece: TemplatePiece): Type =>
    typeof piece === 'string' ? types.text : checkSource(site, piece.source, pointer, piece.start);
  const found = pieces.map(typeOf);
  noteForeignBraces(site, text, pieces, pointer);
  // Its type is unknown.
  if (unclosedAt !== undefined) return types.any;
  const type = lone === undefined ? types.text : (found.find((_, i) => pieces[i] === lone) ?? types.any);
  if (pieces.every((piece) => typeof piece === 'string')) return types.typeOfValue(text);
  site.computed?.set(pointer, type);
  return type;
}

/** Bare CEL that must result in true or false. */
export function checkCondition(site: ExpressionSite, written: string | boolean, pointer: string): void {
  if (typeof written === 'boolean') return;
  const type = types.settled(checkSource(site, written, pointer, 0));
  if (types.mayBe(type, ['boolean'])) return reportNull(site, type, pointer, 'A condition has to be true or false');
  const found = types.describe(type);
  const message = `A condition has to be true or false, and this is ${found}.`;
  site.checking.report({ code: 'expression-type', pointer, message, expected: 'true or false', found });
}

/** Bare CEL of any type. */
export const checkExpression = (site: ExpressionSite, written: string, pointer: string): Type =>
  types.settled(checkSource(site, written, pointer, 0));

/** A doubt: the value is right, except where it is null. `rule` is the beginning of the sentence. */
export function reportNull({ checking }: ExpressionSite, type: Type, pointer: string, rule: string): void {
  if (!types.mayBeNull(type)) return;
  const message = `${rule}, and this may be null.`;
  checking.report({ code: 'may-be-null', pointer, message, hint: '`default(…, …)` is another value then' });
}

/** The value of a condition that does not depend on the run. */
export function constantCondition(written: string | boolean): boolean | undefined {
  if (typeof written === 'boolean') return written;
  try {
    const compiled = compileSource(written);
    const value = readsNothing(compiled)
      ? evaluateIn(new Evaluation({}, limits.document.constantCost), compiled, '')
      : undefined;
    return typeof value === 'boolean' ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxProblem || error instanceof EvaluationError) return undefined;
    throw error;
  }
}

function checkSource(written: ExpressionSite, text: string, pointer: string, offset: number): Type {
  const { site, source } = unhyphened(written, text, pointer, offset);
  site.checking.observe?.onExpression?.(site, { source, pointer, offset });
  const at: ProblemPlace = (node) => ({
    pointer,
    within: [offset + node.start, offset + Math.max(node.end, node.start + 1)],
  });
  const { totals } = site.checking;
  if (tooLarge(totals) !== undefined) return types.any;
  let compiled: CompiledSource;
  try {
    compiled = compileSource(source);
    totals.patterns += compiled.patternsSize;
    totals.parts += compiled.parts;
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    reportSyntax(site, error, pointer, offset);
    // Checks the text between the braces as it was meant.
    const inner = error.code === 'expression-braces' ? loneExpression(piecesOf(source).pieces) : undefined;
    return inner === undefined ? types.any : checkSource(site, inner.source, pointer, offset + inner.start);
  }
  const message = tooLarge(totals);
  if (message !== undefined) site.checking.report({ code: 'expression-too-large', ...at(compiled.node), message });
  for (const member of compiled.reading.members) checkMember(site, member, at(member.node));
  for (const access of nullTestsIn(compiled.node)) site.checking.nullTested.add(access);
  const complaints: AccessComplaint[] = [];
  const type = infer(inferring(site, compiled.node, at, complaints), compiled.node);
  noteReferences(site, compiled, complaints, at);
  if (!readsNothing(compiled) && mayHoldFreeText(type))
    site.checking.freeTexts.push({ ...at(compiled.node), compiled });
  if (readsNothing(compiled) && complaints.length === 0) checkConstant(site, compiled, pointer, at(compiled.node));
  return type;
}

/** A sentence if all expressions of the file together are too much to compile. */
function tooLarge({ patterns, parts }: CheckRun['totals']): string | undefined {
  const { patternsSize, expressionParts } = limits.document;
  if (patterns > patternsSize) return 'The regular expressions of this file are together too large.';
  if (parts <= expressionParts) return undefined;
  return `The expressions of this file have together more than ${expressionParts} parts.`;
}

function reportSyntax({ checking }: ExpressionSite, problem: SyntaxProblem, pointer: string, offset: number): void {
  const { code, message, span, hint } = problem;
  checking.report({ code, pointer, within: [offset + span[0], offset + span[1]], message, hint });
}

type ProblemPlace = (node: ExpressionNode) => Required<Pick<Problem, 'pointer' | 'within'>>;

/** A complaint about an access. */
interface AccessComplaint {
  readonly code: string;
  readonly node: ExpressionNode;
}

/** Notes each read of a value from outside, and whether the value is known to exist. */
function noteReferences(
  { checking, scope }: ExpressionSite,
  { node: root, reading }: CompiledSource,
  complaints: readonly AccessComplaint[],
  at: ProblemPlace,
): void {
  for (const { of, name, node } of reading.members) {
    const known = of === 'steps' && name !== undefined ? scope.steps?.get(name) : undefined;
    if (known?.isCall !== true || name === undefined) continue;
    const about = complaints
      .filter((one) => one.node.start <= node.start && one.node.end > node.end)
      .map(({ code }) => code);
    const read = root.input.slice(node.end, node.end + outputRead.length);
    const isUnknown = read === outputRead && outputOf(known.type).kind === 'any';
    const isWrong = about.some((code) => code === 'unknown-field' || code === 'expression-type');
    const doubt = isUnknown || about.length > 0 ? 'assumed' : 'proved';
    const verdict = isWrong ? 'contradiction' : doubt;
    checking.references.push({ ...at(node), to: stepRef(name), verdict });
  }
}

const outputRead = '.output';

const noSteps: StepsInScope = new Map();
const noGuards: Guards = new Set();

const stepsType = (steps: StepsInScope = noSteps): Type => ({ kind: 'map', fields: steps, rest: types.any });

/** The names that an expression can use, with their types. */
export function namesAt({
  scope,
  secretsFor,
}: Pick<ExpressionSite, 'scope' | 'secretsFor'>): Pick<InferenceScope, 'names' | 'unlisted'> {
  const { names, steps } = scope;
  return {
    // `checkMember` reports steps and secrets that cannot be read, with the reason.
    names: new Map([...names, ['steps', stepsType(steps)], ['secrets', types.map({}, types.text)]]),
    unlisted: new Set([...(steps === undefined ? ['steps'] : []), ...(secretsFor === undefined ? ['secrets'] : [])]),
  };
}

function inferring(
  site: ExpressionSite,
  root: ExpressionNode,
  at: ProblemPlace,
  complaints: AccessComplaint[],
): InferenceScope {
  const { ran = noGuards } = site.scope;
  return {
    ...namesAt(site),
    guarded: new Set([...(site.guarded ?? []), ...ran, ...presenceTestsIn(root)]),
    nullTested: ran.size === 0 ? site.checking.nullTested : site.checking.nullTested.union(ran),
    complain: (code, node, message, detail) => {
      complaints.push({ code, node });
      site.checking.report({ code, ...at(node), message, ...detail });
    },
  };
}

function checkConstant(
  site: ExpressionSite,
  compiled: CompiledSource,
  pointer: string,
  at: Pick<Problem, 'pointer' | 'within'>,
): void {
  const { constants } = site.checking;
  const { cost } = limits.expression;
  const budget = Math.min(cost, constants.left);
  const e = new Evaluation({}, budget);
  try {
    if (budget > 0) evaluateIn(e, compiled, pointer);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    // Other expressions used up the budget: nothing is known.
    if (error.code === 'expression-budget' && budget < cost) return;
    site.checking.report({
      code: 'expression-fails',
      ...at,
      message: `This fails whenever it is evaluated. ${error.message}`,
    });
  } finally {
    constants.left -= budget - Math.max(0, e.left);
  }
}

function checkMember(site: ExpressionSite, member: MemberReference, at: Pick<Problem, 'pointer' | 'within'>): void {
  if (member.of === 'secrets') checkSecret(site, member, at);
  else checkStep(site, member, at);
}

function checkSecret(
  site: ExpressionSite,
  { name, isInserted }: MemberReference,
  at: Pick<Problem, 'pointer' | 'within'>,
): void {
  const { report } = site.checking;
  if (site.secretsFor === undefined) {
    const message = 'A secret is allowed only in the `with` of a tool.';
    report({ code: 'secret-misplaced', ...at, message, hint: 'hand it to the tool that needs it' });
  } else if (name === undefined) {
    const message = 'A secret is named where it is used; its name cannot be computed.';
    report({ code: 'computed-reference', ...at, message, expected: 'secrets.NAME' });
  } else if (!isInserted) {
    const message = 'A secret is put in after the expressions were evaluated: nothing can be computed from it.';
    const expected = 'the secret alone, joined to other texts, or as the key of `hmac(text, secrets.NAME)`';
    report({ code: 'secret-computed', ...at, message, expected });
  } else if (site.checking.hookSecrets.has(name)) {
    const message = `A webhook is signed with the secret ${quoted(name)}: no tool may learn it.`;
    report({ code: 'secret-of-webhook', ...at, message, hint: hookSecretHint(name) });
  } else checkSecretReference(site.checking, name, at, site.secretsFor);
}

function checkStep(
  site: ExpressionSite,
  { name, isOptional }: MemberReference,
  at: Pick<Problem, 'pointer' | 'within'>,
): void {
  const { checking, scope } = site;
  const { report, index } = checking;
  if (scope.steps === undefined) {
    report({
      code: 'unknown-name',
      ...at,
      message: 'No step has run when this is evaluated.',
      expected: [...scope.names.keys()].join(', '),
    });
    return;
  }
  if (name === undefined) {
    const message = 'A step is named where it is read; its name cannot be computed.';
    report({ code: 'computed-reference', ...at, message, expected: 'steps.<id>' });
    return;
  }
  const known = scope.steps.get(name);
  if (known !== undefined) {
    if (!isOptional && known.certainty !== 'ran') report({ ...uncertain(name, known.certainty), ...at });
    return;
  }
  const [there] = index.byId.get(name) ?? [];
  if (there === undefined) {
    const visible = [...scope.steps.keys()];
    report({
      code: 'unknown-step',
      ...at,
      message: `There is no step ${quoted(name)}.`,
      found: name,
      hint: didYouMean(name, visible, stepRef) ?? didYouMean(name, index.byId.keys(), stepRef),
    });
    return;
  }
  const { code, reason, hint } = whyNot(name, there, at.pointer);
  report({ code, ...at, message: `The step ${quoted(name)} cannot be read here: ${reason}.`, found: name, hint });
}

function uncertain(id: string, certainty: 'branch' | 'maybe'): Pick<Problem, 'code' | 'message' | 'hint'> {
  const hint = `\`${stepRef(id, '?')}\` reads it where it ran`;
  return certainty === 'branch'
    ? {
        code: 'step-not-visible',
        message: `The step ${quoted(id)} runs only in one of several ways to get here.`,
        hint,
      }
    : {
        code: 'step-may-not-have-run',
        message: `The step ${quoted(id)} may not have run when this is evaluated.`,
        hint,
      };
}
