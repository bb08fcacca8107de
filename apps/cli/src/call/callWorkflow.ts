/** Makes a workflow of a single call, so that it is checked, recorded and executed like every other call. */
import type { Json, JsonObject } from '@baton/primitives';

/** Pointer to the arguments in the workflow. */
export const argumentsPointer = '/workflow/steps/0/with';

export function callWorkflow(
  server: string,
  tool: string,
  args: JsonObject,
  { withContent }: { readonly withContent: boolean },
): JsonObject {
  return {
    workflow: 'servers-call',
    title: `${server}/${tool}`.slice(0, 100),
    steps: [{ id: 'call', tool: `${server}/${tool}`, with: literal(args) }],
    // Both are made of the same answer: a large one would count twice.
    outputs: {
      output: '${{ steps.call.output }}',
      ...(withContent && { content: '${{ steps.call.content }}' }),
    },
  };
}

/** Arguments are literal: the text contains no expressions. */
function literal<Value extends Json>(value: Value): Value;
function literal(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll('${{', '${{ "${{" }}');
  if (Array.isArray(value)) return value.map((one: Json) => literal(one));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, literal(one)]));
}
