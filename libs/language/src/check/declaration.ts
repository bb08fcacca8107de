/** Checks what the server configuration declares for the calls of a tool, like a step that calls it. */
import { type Type, quoted, refusalOf, typeOfResult, typeOfSchema, types, usableSchema } from '@baton/expressions';
import { type JsonObject, defined, isObject } from '@baton/primitives';

import { severityOf } from '../findingCodes.ts';
import { fitType } from '../fit/fitType.ts';
import { requiredOf } from '../fit/schemaParts.ts';
import type { Problem } from '../problem.ts';
import type { DeclaredCall, DeclaredCheck, ResolvedDeclaration, ToolDeclaration } from '../servers/declaration.ts';
import type { OfferedTool } from '../servers/offer.ts';
import { shownEffect } from '../servers/shownEffect.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import { checkRunOf } from './beginCheck.ts';
import { checkArguments } from './callArguments.ts';
import { checkToolCall } from './calls.ts';
import type { CheckRun } from './checkRun.ts';
import { checkReads, effectOf, effectWithoutStep } from './effects.ts';
import { checkCondition, checkExpression } from './expressions.ts';
import type { CheckOptions } from './options.ts';
import { type CheckScope, withNames } from './scope.ts';
import { stepType } from './stepType.ts';

export interface DeclarationPlace {
  readonly server: string;
  readonly tool: string;
}

/** What is known of the servers; without it, only texts and names are checked. */
export type DeclarationOptions = Pick<CheckOptions, 'servers' | 'effects'>;

/** The problems of a declaration, with pointers such as `/check/with/q`. */
export function checkDeclaration(
  { check, undo }: ToolDeclaration,
  place: DeclarationPlace,
  options: DeclarationOptions = {},
): readonly Problem[] {
  const problems: Problem[] = [];
  const checking = checkRunOf(subject, options, (problem) => problems.push(problem));
  const offered = offeredTool(place, options);
  const input = inputType(offered);
  const output = outputType(offered);
  if (check !== undefined) {
    const given = checkDeclaredCheck(checking, place.server, check, types.map({ arguments: input }));
    if (check.output !== undefined) checkOutput(checking, place.tool, offered, given);
  }
  if (undo !== undefined)
    checkDeclaredCall(checking, place.server, undo, '/undo', scopeOf(types.map({ arguments: input, output })));
  return problems;
}

/** The type of the output of a step whose call was found to have happened by what is declared for `target`. */
export function declaredOutput({ servers, effects, mayLookAt }: CheckRun, target: string, check: DeclaredCheck): Type {
  const [server, tool] = splitTarget(target);
  const options = defined({ servers, effects });
  // What is wrong with the declaration was reported where it is written.
  const checking = { ...checkRunOf(subject, options, () => undefined), mayLookAt };
  const input = inputType(offeredTool({ server, tool }, options));
  return checkDeclaredCheck(checking, server, check, types.map({ arguments: input }));
}

/**
 * What the check or the undo of a tool step reads of its call: `call`, unless a name around it is that. An undo reads the
 * output, too.
 */
export function withCall({ servers }: CheckRun, target: string, scope: CheckScope, part: 'check' | 'undo'): CheckScope {
  if (scope.names.has('call')) return scope;
  const [server, tool] = splitTarget(target);
  const offered = offeredTool({ server, tool }, defined({ servers }));
  const output = part === 'undo' ? { output: outputType(offered) } : {};
  return withNames(scope, { call: types.map({ arguments: inputType(offered), ...output }) });
}

const subject = { workflow: { workflow: 'declared', steps: [] } };

const scopeOf = (call: Type): CheckScope => ({ names: new Map([['call', call]]), steps: undefined });

function offeredTool({ server, tool }: DeclarationPlace, { servers }: DeclarationOptions): OfferedTool | undefined {
  const offer = servers?.get(server);
  return offer?.kind === 'known' ? offer.tools.find(({ name }) => name === tool) : undefined;
}

/** The type of `call.arguments`. */
function inputType(tool: OfferedTool | undefined): Type {
  return tool === undefined ? types.anyMap : typeOfSchema(usableSchema(tool.inputSchema).schema);
}

/** The type of `call.output`. */
function outputType(tool: OfferedTool | undefined): Type {
  return tool?.outputSchema === undefined ? types.any : typeOfResult(usableSchema(tool.outputSchema).schema);
}

/** Returns the type of the output that the check gives a step. */
function checkDeclaredCheck(checking: CheckRun, server: string, check: DeclaredCheck, call: Type): Type {
  const { happened, output } = check;
  const scope = scopeOf(call);
  const found = checkDeclaredCall(checking, server, check, '/check', scope);
  const target = `${server}/${check.tool}`;
  checkReads(checking, 'check-writes', { tool: target }, '/check/tool');
  const result = stepType({ tool: target, happened }, { result: found });
  const read = { checking, scope: { ...scope, names: new Map([...scope.names, ['result', result]]) } };
  checkCondition(read, happened, '/check/happened');
  if (output === undefined) return emptyMap;
  const given = checkExpression(read, output, '/check/output');
  const isNullable = types.mayBeNull(given) || given.kind === 'null';
  return isNullable ? types.union([types.notNull(given), emptyMap]) : given;
}

/** What a step gives whose check, or whose person who was asked, does not say what the call answered. */
export const emptyMap = types.map({});

/** Steps read what the check gives as they would read the answer of the tool. */
function checkOutput(checking: CheckRun, tool: string, offered: OfferedTool | undefined, given: Type): void {
  if (offered?.outputSchema === undefined) return;
  const { schema } = usableSchema(offered.outputSchema);
  if (!isObject(schema) || refusalOf(schema) !== undefined) return;
  if (fitType({ root: schema, budget: { left: 2_000, compiled: 24 } }, given, schema) !== 'contradiction') return;
  const [lacking] = given.kind === 'map' ? requiredOf(schema).filter((key) => !given.fields.has(key)) : [];
  const expected = lacking === undefined ? types.describe(typeOfResult(schema)) : `the key ${quoted(lacking)}`;
  const message = `This is no answer of the tool ${quoted(tool)}: its output schema does not allow it.`;
  const found = types.describe(given);
  checking.report({ code: 'expression-type', pointer: '/check/output', message, expected, found });
}

/** Returns the type of the output. */
function checkDeclaredCall(
  checking: CheckRun,
  server: string,
  { tool, with: written }: DeclaredCall,
  pointer: string,
  scope: CheckScope,
): Type {
  const target = `${server}/${tool}`;
  const asked = checkArguments({ checking, scope }, written, pointer);
  const effect = shownEffect(effectOf(checking, { tool: target }), effectWithoutStep(checking, target));
  return checkToolCall(checking, target, `${pointer}/tool`, asked, { effect });
}

/** Keeps the parts that can be used, and says why the others cannot. */
export function resolveDeclaration(
  declaration: ToolDeclaration,
  place: DeclarationPlace,
  options: DeclarationOptions,
): ResolvedDeclaration {
  const offer = options.servers?.get(place.server);
  const isKnown = offer?.kind === 'known';
  const wrong = checkDeclaration(declaration, place, options).filter(makesUnusable);
  const whyNot = (part: 'check' | 'undo'): string | undefined => {
    if (declaration[part] === undefined) return undefined;
    const first = wrong.find(({ pointer }) => pointer.startsWith(`/${part}/`));
    if (first !== undefined) return `${first.message} (${first.pointer})`;
    return isKnown ? undefined : 'Its server cannot be asked now.';
  };
  const [check, undo] = [whyNot('check'), whyNot('undo')];
  const unusable: JsonObject = defined({ check, undo });
  return {
    ...(check === undefined ? defined({ check: declaration.check }) : {}),
    ...(undo === undefined ? defined({ undo: declaration.undo }) : {}),
    ...(Object.keys(unusable).length === 0 ? {} : { unusable }),
  };
}

/** Baton makes a declared check by itself, so it must be one that reads. */
const makesUnusable = ({ code }: Problem): boolean => severityOf(code) === 'error' || code === 'check-writes';
