/**
 * `baton.tools` in `mcp.json`: what happens when a tool changes, or what is declared of single tools, by their names.
 */
import { type ToolDeclaration, durationMs } from '@baton/language';
import { type JsonObject, defined, isObject } from '@baton/primitives';
import { z } from 'zod';

/** `block`: new runs wait for a proof that the workflow can go on with the changed tool; `exact`: for a person. */
export const ToolChanges = z.enum(['exact', 'block', 'warn', 'accept']);

export type ToolChanges = z.infer<typeof ToolChanges>;

const ToolName = z
  .string()
  .min(1)
  .max(128)
  .refine((name) => !name.includes('/'), 'expected the name of a tool of this server, without the server')
  .refine((name) => !/[*?]/.test(name), 'expected the name of one tool; only "effects" takes patterns');

const Expression = z.string().min(1).max(8_192);

/** As on a step: it stays text. */
const StepDuration = z
  .string()
  .refine((text) => durationMs(text) !== undefined, 'expected a duration such as "30s" or "5m"');

const call = {
  tool: ToolName,
  with: z
    .custom<JsonObject>(isObject, {
      error: 'expected an object of arguments',
    })
    .optional(),
  timeout: StepDuration.optional(),
};

const Check = z.strictObject({ ...call, happened: Expression, output: Expression.optional() });
const Undo = z.strictObject(call);

const Declared = z.strictObject({
  effect: z.enum(['read', 'idempotent', 'write']).optional(),
  /** Finds out whether a call happened whose answer is lost. */
  check: Check.optional(),
  /** Takes a call back. */
  undo: Undo.optional(),
});

/** The keys that may stand at this depth below `tools`, for hints. */
export function keysBelowTools(path: readonly (string | number)[]): readonly string[] {
  const [, part] = path;
  if (path.length <= 1) return Object.keys(Declared.shape);
  return Object.keys(part === 'check' ? Check.shape : Undo.shape);
}

const DeclaredTools = z.record(ToolName, Declared);

/** By the name of the tool. */
export type DeclaredTools = z.infer<typeof DeclaredTools>;

/** Not a union of both: its mistakes would have no place. */
export const WrittenTools = z.unknown().transform((written, context): ToolChanges | DeclaredTools => {
  const parsed = (isObject(written) ? DeclaredTools : ToolChanges).safeParse(written, { reportInput: true });
  if (parsed.success) return parsed.data;
  context.issues.push(...(parsed.error.issues as typeof context.issues));
  return z.NEVER;
});

/** By the name of the tool. */
export const declarationsIn = (tools: DeclaredTools): Readonly<Record<string, ToolDeclaration>> =>
  Object.fromEntries(
    Object.entries(tools).flatMap(([name, { check, undo }]) =>
      check === undefined && undo === undefined ? [] : [[name, defined({ check, undo })]],
    ),
  );
