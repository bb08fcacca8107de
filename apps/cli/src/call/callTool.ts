/** `baton servers call`: calls one tool, once. The call is a run of one step. */
import { type Run, type Tool, ProblemError } from '@baton/api/client';
import { splitTarget } from '@baton/language';
import { type Json, type JsonObject, cleanText, isObject } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exitCodes.ts';
import { durationOption } from '../inputs/arguments.ts';
import { confirmed } from '../inputs/confirmed.ts';
import { readInputs, refuseUnknown } from '../inputs/readInputs.ts';
import { jsonText } from '../output/json.ts';
import type { Output } from '../output/output.ts';
import { watchFromTerminal } from '../watch/watchFromTerminal.ts';
import { toolNamed } from './toolNamed.ts';

interface ToolCallArguments {
  readonly server: string;
  readonly tool: string;
  readonly input?: readonly string[];
  readonly inputs?: string;
  readonly yes?: true;
  readonly timeout?: string;
  readonly json?: true;
}

export async function callTool(context: Context, asked: ToolCallArguments): Promise<ExitCode> {
  const { server, input: pairs = [], inputs: file, json = false } = asked;
  const timeoutMs = await durationOption('--timeout', asked.timeout);
  const client = await context.client();
  const tool = await toolNamed(client, server, asked.tool);
  refuseUnknownArgument(pairs, tool);
  const args = await readInputs(context, { file, pairs }, tool.inputSchema);
  await confirmWrite(context, asked, tool);
  const workflow = callWorkflow(server, tool.name, args, { withContent: json });
  const { id } = await client.runs.start(workflow).catch((error: unknown) => {
    throw asRefusal(error, `${server}/${tool.name}`);
  });
  const print = (run: Run): void => (json ? printJson(context.stdout, run) : printAnswer(context.stdout, run));
  return watchFromTerminal(context, client, id, { mode: 'wait', json, timeoutMs, print });
}

/**
 * Throws `CommandError` if a pair has a name that the tool does not list. Most tools would take it and ignore it, and
 * the call may write; `--inputs` passes it on.
 */
function refuseUnknownArgument(pairs: readonly string[], { inputSchema: schema }: Tool): void {
  if (!isObject(schema) || !isObject(schema['properties'])) return;
  if ((schema['additionalProperties'] ?? false) !== false || schema['patternProperties'] !== undefined) return;
  refuseUnknown(pairs, schema, { owner: 'The tool', item: 'argument' });
}

/** Rejects with `CommandError` if neither `--yes` nor a person allows the call. */
async function confirmWrite(
  context: Context,
  { server, yes }: ToolCallArguments,
  { name, effect }: Tool,
): Promise<void> {
  if (effect !== 'write' || yes === true) return;
  const what = `${server}/${name} may make a change that cannot be undone.`;
  await confirmed(context, {
    question: `${what} Call it?`,
    refusal: what,
    hint: 'to call it anyway, add --yes',
    declined: 'The tool was not called.',
  });
}

/** Reports mistakes in the arguments by their names, because Baton, not the user, wrote the workflow around them. */
function asRefusal(error: unknown, target: string): unknown {
  if (!(error instanceof ProblemError) || error.status !== 422) return error;
  const lines = error.errors.map(({ pointer = '', message, hint }) => {
    const place = pointer.startsWith(`${argumentsPointer}/`) ? `${pointer.slice(argumentsPointer.length + 1)}: ` : '';
    return `  ${place}${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
  const message = [`${target} cannot be called with these arguments.`, ...lines].join('\n');
  return new CommandError(exitCodes.usage, message, {
    cause: error,
    hint: `its input schema: \`baton servers tools ${splitTarget(target)[0]} --json\``,
  });
}

interface ToolCallAnswer {
  readonly output?: Json;
  readonly content?: Json;
}

function printAnswer(stdout: Output, { outputs }: Run): void {
  if (outputs === undefined) return;
  const { output = null } = outputs as ToolCallAnswer;
  // A text is printed as it is, so that it can go into a file.
  stdout.line(typeof output === 'string' ? cleanText(output).replace(/\n$/, '') : jsonText(output));
}

function printJson(stdout: Output, { id, status, outputs, error }: Run): void {
  const { output, content } = (outputs ?? {}) as ToolCallAnswer;
  const answered = { run: id, status, output, content, error };
  stdout.line(jsonText(JSON.parse(JSON.stringify(answered)) as JsonObject));
}

/** Pointer to the arguments in the workflow. */
const argumentsPointer = '/workflow/steps/0/with';

function callWorkflow(
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
