/** Checks what the server configuration declares for the calls of a tool, like a step that calls it. */
import { type Type, typeOfResult, typeOfSchema, types, usableSchema } from '@baton/expressions';
import { type JsonObject, defined } from '@baton/primitives';

import { severityOf } from '../findingCodes.ts';
import type { Problem } from '../problem.ts';
import type { DeclaredCall, DeclaredCheck, ResolvedDeclaration, ToolDeclaration } from '../servers/declaration.ts';
import type { OfferedTool } from '../servers/offer.ts';
import { shownEffect } from '../servers/shownEffect.ts';
import { checkArguments, checkReads } from './actions.ts';
import { checkRunOf } from './beginCheck.ts';
import { checkToolCall } from './calls.ts';
import type { CheckRun } from './checkRun.ts';
import { effectOf, effectWithoutStep } from './effects.ts';
import { checkCondition, checkExpression } from './expressions.ts';
import type { CheckOptions } from './options.ts';
import type { CheckScope } from './scope.ts';
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
  const subject = { workflow: { workflow: 'declared', steps: [] } };
  const checking = checkRunOf(subject, options, (problem) => problems.push(problem));
  const { input, output } = typesOf(place, options);
  if (check !== undefined) checkDeclaredCheck(checking, place.server, check, types.map({ arguments: input }));
  if (undo !== undefined)
    checkDeclaredCall(checking, place.server, undo, '/undo', scopeOf(types.map({ arguments: input, output })));
  return problems;
}

const scopeOf = (call: Type): CheckScope => ({ names: new Map([['call', call]]), steps: undefined });

/** The types of `call.arguments` and `call.output`. */
function typesOf(
  { server, tool }: DeclarationPlace,
  { servers }: DeclarationOptions,
): { readonly input: Type; readonly output: Type } {
  const offer = servers?.get(server);
  const offered = offer?.kind === 'known' ? offer.tools.find(({ name }) => name === tool) : undefined;
  return { input: inputType(offered), output: outputType(offered) };
}

function inputType(tool: OfferedTool | undefined): Type {
  return tool === undefined ? types.anyMap : typeOfSchema(usableSchema(tool.inputSchema).schema);
}

function outputType(tool: OfferedTool | undefined): Type {
  return tool?.outputSchema === undefined ? types.any : typeOfResult(usableSchema(tool.outputSchema).schema);
}

function checkDeclaredCheck(checking: CheckRun, server: string, check: DeclaredCheck, call: Type): void {
  const { happened, output } = check;
  const scope = scopeOf(call);
  const found = checkDeclaredCall(checking, server, check, '/check', scope);
  const target = `${server}/${check.tool}`;
  checkReads(checking, target, '/check/tool');
  const result = stepType({ tool: target, happened }, { result: found });
  const read = { checking, scope: { ...scope, names: new Map([...scope.names, ['result', result]]) } };
  checkCondition(read, happened, '/check/happened');
  if (output !== undefined) checkExpression(read, output, '/check/output');
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
