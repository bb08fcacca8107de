/**
 * The MCP tools for authors: find tools, check, try, deploy, explain failures. Each answer is short and ends with the
 * next step.
 */
import type { AuthoringName } from '@baton/control';
import { type JsonObject, defined } from '@baton/primitives';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';

import { validated } from '../http/validation.ts';
import { type OwnTool, listedTool } from '../tools/listedTool.ts';
import type { Author, TryOrder } from './author.ts';

const Source = z
  .string()
  .min(1)
  .max(512 * 1_024)
  .describe('The whole workflow, as YAML.');
const RunId = z.string().describe('Id of a run.');
const Values = z.record(z.string(), z.unknown());

const tools = {
  find_tools: {
    title: 'Find tools',
    description:
      'Searches the tools of the servers by words: name, one line, effect. With `name`: its schemas and an example step.',
    input: z.strictObject({
      query: z.string().max(400).default(''),
      name: z.string().max(512).optional().describe('server/tool'),
      limit: z.int().min(1).max(100).default(12),
    }),
    isReading: true,
  },
  check_workflow: {
    title: 'Check a workflow',
    description: 'Finds errors, each with its correction; and the tools that it would call, with their effects.',
    input: z.strictObject({ source: Source }),
    isReading: true,
  },
  try_workflow: {
    title: 'Try a workflow',
    description: 'Simulates a run without calling a server. Answers come from `answers`, a run, or the schemas.',
    input: z.strictObject({
      source: Source,
      inputs: Values.default({}),
      answers: Values.default({}).describe(
        'By server/tool, `sample`, `workflow NAME`, or the path of a step (also of an `ask` or a signal; numbers of rounds may be left out): the answer. One after the other: { "$sequence": [...] }. A failure: { "$error": { "code", "message" } }. No answer comes: { "$lost": true }.',
      ),
      state: Values.optional(),
      run: RunId.optional().describe('Take answers, inputs and state from this run.'),
    }),
    isReading: true,
  },
  deploy_workflow: {
    title: 'Deploy a workflow',
    description:
      'First answers what it would start, and a digest; deploys when called with that digest as `confirm`. An edit that starts nothing new takes one call: with `version`, and "unchanged" as `confirm`.',
    input: z.strictObject({
      source: Source,
      version: z.int().min(0).optional().describe('The version that this text was edited from; 0 for a new workflow.'),
      confirm: z.string().max(64).optional().describe('The digest of the previous answer, or "unchanged".'),
    }),
    isReading: false,
  },
  explain_run: {
    title: 'Explain a run',
    description:
      'Explains a failure: the step, its arguments as sent, the answer of the tool, and the likely correction.',
    input: z.strictObject({ id: RunId }),
    isReading: true,
  },
  repair_workflow: {
    title: 'Repair a workflow',
    description:
      'Returns the source of a failed run with the finding at its place. With a corrected `source`: how that run, and others, would have ended.',
    input: z.strictObject({ id: RunId, source: Source.optional() }),
    isReading: true,
  },
  learn_session: {
    title: 'Learn from a session',
    description: 'Turns the calls of a gateway session, or of any run, into a workflow, and proves it by a replay.',
    input: z.strictObject({
      id: RunId,
      name: z.string().max(63).optional(),
      answers: z
        .record(z.string(), z.int().min(0))
        .default({})
        .describe('To open questions: the number of the option.'),
    }),
    isReading: true,
  },
} as const satisfies Record<AuthoringName, OwnTool>;

export const authoringTools: readonly Tool[] = Object.entries(tools).map(([name, own]) => listedTool(name, own));

/** Rejects with `ProblemError` and `UnavailableError`. */
export async function callAuthoring(author: Author, name: AuthoringName, given: JsonObject): Promise<CallToolResult> {
  switch (name) {
    case 'find_tools':
      return jsonResult(await author.findTools(validated(tools.find_tools.input, given, 'body')));
    case 'check_workflow':
      return jsonResult(await author.check(validated(tools.check_workflow.input, given, 'body').source));
    case 'try_workflow': {
      const { inputs, answers, state, ...rest } = validated(tools.try_workflow.input, given, 'body');
      const values = { inputs, answers, ...defined({ state }) } as Pick<TryOrder, 'inputs' | 'answers' | 'state'>;
      return jsonResult(await author.tryWorkflow({ ...rest, ...values }));
    }
    case 'deploy_workflow':
      return jsonResult(await author.deploy(validated(tools.deploy_workflow.input, given, 'body')));
    case 'explain_run':
      return jsonResult(await author.explain(validated(tools.explain_run.input, given, 'body').id));
    case 'repair_workflow':
      return jsonResult(await author.repair(validated(tools.repair_workflow.input, given, 'body')));
    case 'learn_session':
      return jsonResult(await author.learn(validated(tools.learn_session.input, given, 'body')));
  }
}

const jsonResult = (value: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: { ...value },
});
