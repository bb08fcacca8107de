/** The forms of names. */
import { limits } from '@baton/expressions';
import { inAscii } from '@baton/primitives';
import * as z from 'zod';

import type { Offers } from './offers.ts';
import {
  namePartForm,
  namePartPattern,
  workflowNameForm,
  workflowNamePattern,
  workflowPatternForm,
  workflowPatternPattern,
  workflowNameSource,
} from './workflowNames.ts';

export const toolNameCharacters = 128;

export const forms = {
  workflow: workflowNameForm,
  part: namePartForm,
  pattern: workflowPatternForm,
  step: 'letters, digits, hyphens and underscores, at most 63, the first a letter or an underscore',
  item: 'letters, digits and underscores, at most 63, the first not a digit',
  target: 'a server (at most 63 characters) and a name on it (at most 256), as in server/name or "server/a name"',
  server: 'letters, digits, dots, hyphens and underscores, at most 63, the first a letter or a digit',
  child: 'a workflow, or one version of it, as in payments/refunds@3',
  secret: 'letters, digits and underscores, at most 128, the first not a digit',
  code: 'lower case words joined by hyphens',
  tool: `letters, digits, dots, hyphens and underscores, at most ${toolNameCharacters}`,
} as const;

export type NameForm = keyof typeof forms;

const patterns: Record<NameForm, RegExp> = {
  workflow: workflowNamePattern,
  part: namePartPattern,
  pattern: workflowPatternPattern,
  step: /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/,
  item: /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
  // Servers name their tools as they like; an expression is no name.
  // oxlint-disable-next-line no-control-regex -- they are what no name has
  target: /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}\/(?!.*\$\{\{)[^\u0000-\u001f\u007f]{1,256}$/,
  server: /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  child: new RegExp(`^${workflowNameSource}(@[1-9][0-9]{0,8})?$`),
  secret: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  code: /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
  // MCP 2025-11-25, server/tools, tool names.
  tool: new RegExp(`^[A-Za-z0-9._-]{1,${toolNameCharacters}}$`),
};

const joined = (text: string, by: string): string =>
  inAscii(text)
    .replace(/[^A-Za-z0-9]+/g, by)
    .replace(new RegExp(`^${by}+|${by}+$`, 'g'), '');

const path = (text: string): string =>
  text
    .split(/[/\\]+/)
    .map((one) => joined(one, '-').toLowerCase())
    .filter((one) => one !== '')
    .join('/');

const respelled: Partial<Record<NameForm, (text: string) => string>> = {
  workflow: path,
  child: path,
  part: (text) => joined(text, '-').toLowerCase(),
  code: (text) => joined(text, '-').toLowerCase(),
  step: (text) => joined(text, '_'),
  item: (text) => joined(text, '_'),
  secret: (text) => joined(text, '_'),
  target: (text) => text.replace(/[.:]+|::/, '/').replaceAll(' ', '_'),
};

export const isName = (form: NameForm, text: string): boolean => patterns[form].test(text);

/** The nearest name of the form; undefined if there is none. */
export function respell(form: NameForm, text: string): string | undefined {
  const name = respelled[form]?.(text);
  return name !== undefined && name !== text && patterns[form].test(name) ? name : undefined;
}

/** The message is the name of the form; `explain` turns it into a sentence. */
const name = (form: NameForm, description: string, offers?: Offers): z.ZodString =>
  z
    .string()
    .regex(patterns[form], { error: form })
    .meta({ description, ...(offers === undefined ? {} : { offers }) });

export const WorkflowId = name(
  'workflow',
  'The name of a workflow; before the first slash, its project: `payments/refunds`.',
);
export const StepId = name('step', 'The name of the step: `steps.<id>` in expressions.');
export const ToolTarget = name('target', 'Which tool, as `server/tool`.', 'tool');
export const EventTarget = name(
  'target',
  'Which event of a server (SEP-3415), as `server/event`. Each occurrence starts a run.',
  'event',
);
export const ToolName = name(
  'tool',
  'What MCP clients call the tool; absent: the name of the workflow, with underscores instead of slashes.',
);
export const PromptTarget = name('target', 'Which prompt, as `server/prompt`.', 'prompt');
export const Server = name('server', 'The alias of a server in the server configuration.', 'server');
export const ChildWorkflow = name('child', 'Which workflow, as `id` or `id@version`.', 'workflow');
export const ItemName = name('item', 'The name of the item in expressions.');
export const SecretName = name('secret', 'The name of a stored secret.', 'secret');
export const HookName = name('part', 'The last part of the URL: `POST /v1/hooks/<workflow>/<name>`.');
export const ScheduleName = name(
  'part',
  'The last part of its name, `<workflow>.<id>`: what Baton keeps about the schedule follows it.',
);
export const PollName = name(
  'part',
  'The last part of its name, `<workflow>.<id>`: the keys that were seen follow it. Absent: the name of the tool.',
);
export const WorkflowPattern = name(
  'pattern',
  'Whose runs: the name of a workflow, a project as in `payments/*`, or `*` for all.',
);
export const FailureCode = name('code', 'A failure code, such as `timeout` or one that a `fail` step gives.', 'code');
export const SignalName = z
  .string()
  .min(1)
  .max(limits.step.signalCharacters)
  .meta({ description: 'The name of the signal: `POST /v1/runs/<id>/signals/<name>`.' });
