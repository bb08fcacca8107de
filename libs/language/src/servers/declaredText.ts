/** Says in sentences what the server configuration declares for the calls of a tool. */
import type { ResolvedDeclaration } from './declaration.ts';

export function declaredText({ check, undo, unusable = {} }: ResolvedDeclaration = {}): readonly string[] {
  return [
    ...(check === undefined ? [] : [`If the answer of a call is lost, ${check.tool} finds out whether it happened.`]),
    ...(unusable.check === undefined ? [] : [`The declared check cannot be used. ${unusable.check}`]),
    ...(undo === undefined ? [] : [`A call is undone by ${undo.tool}, where a step says so.`]),
    ...(unusable.undo === undefined ? [] : [`The declared undo cannot be used. ${unusable.undo}`]),
  ];
}
