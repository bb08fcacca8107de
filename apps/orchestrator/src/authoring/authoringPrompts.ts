/**
 * Prompts for authors of workflows. They quote a person's input as JSON, so that the model does not read it as orders.
 */
import { ProblemError } from '@baton/api';
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';

interface AuthoringPrompt {
  readonly title: string;
  readonly description: string;
  readonly argument: { readonly name: string; readonly description: string };
  readonly text: (given: string) => string;
}

/** The steps by which a model turns a task into a deployed workflow. */
export const workflowSteps = `1. Read the resource baton://language, or call read_language; with \`page\`, or as baton://docs/PAGE, it has every detail (idioms, triggers, expressions).
2. Find the tools with find_tools, and with \`name\` how each is called. Use no tool that it does not list.
3. Write the workflow. Values that change from run to run are inputs. Say \`effect\` only where you know better than the server.
4. check_workflow until it has no error; apply the fixes that it names.
5. try_workflow with answers as the tools really give them: also pages one after the other, failures, and lost answers of writes.
6. Show the person what deploy_workflow says it would arm. Hand back the digest only when the person agrees.
7. When it is deployed, exercise what starts and wakes it: run_workflow, test_webhook, change_schedule, send_signal.`;

const prompts = {
  'write-a-workflow': {
    title: 'Write a workflow',
    description: 'Turns a task in plain words into a workflow that is checked, tried and deployed.',
    argument: { name: 'task', description: 'The task to automate.' },
    text: (task) => `Write a Baton workflow for the task ${task}.

${workflowSteps}`,
  },
  'explain-a-run': {
    title: 'Explain a run',
    description: 'Explains what happened in a run, and what to do about it.',
    argument: { name: 'run', description: 'Id of the run.' },
    text: (run) => `Explain the run ${run}: call explain_run, and get_run where that is not enough.
Say in plain words what was to happen, what happened, which step and which arguments it was, and what would fix it.
A call whose outcome is unknown may have happened: say how to find out, before anything is done again.`,
  },
  'review-a-workflow': {
    title: 'Review a workflow',
    description: 'Reviews a workflow before it is deployed.',
    argument: { name: 'workflow', description: 'Its text, or its name.' },
    text: (workflow) => `Review the workflow ${workflow}. If this is a name, get_workflow has its text.
Check it with check_workflow. Then look for: writes without \`key\` or \`check\` where a repetition would do harm; loops without a limit; \
failures that nothing handles; what happens when a list is empty; questions that expire; secrets in texts.
Say what is wrong, where, and how you would write it.`,
  },
} as const satisfies Record<string, AuthoringPrompt>;

type Name = keyof typeof prompts;

export const authoringPrompts: readonly Prompt[] = Object.entries(prompts).map(
  ([name, { title, description, argument }]) => ({
    name,
    title,
    description,
    arguments: [{ ...argument, required: true }],
  }),
);

const givenMax = 20_000;

/** Throws `ProblemError`. */
export function authoringPrompt(name: string, given: Readonly<Record<string, string>>): GetPromptResult {
  if (!Object.hasOwn(prompts, name))
    throw new ProblemError('not-found', `There is no prompt ${JSON.stringify(name.slice(0, 80))}.`);
  const { argument, description, text } = prompts[name as Name];
  const value = given[argument.name];
  if (value === undefined) throw new ProblemError('validation-failed', `The prompt ${name} needs "${argument.name}".`);
  const words = text(JSON.stringify(value.slice(0, givenMax)));
  return { description, messages: [{ role: 'user', content: { type: 'text', text: words } }] };
}
