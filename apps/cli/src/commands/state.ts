import type { Client, StateValue } from '@baton/api/client';
import type { Json } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { limitArgument } from '../inputs/arguments.ts';
import { jsonText } from '../output/json.ts';
import { oneLine } from '../output/text.ts';
import { commandOf, listCommand, printRows } from './defineCommand.ts';

/** What is shown of a value, in one line. */
const shown = ({ value }: { readonly value?: unknown }): string =>
  value === undefined ? 'hidden' : oneLine(JSON.stringify(value));

const writerOf = ({ by, runId }: { readonly by: string; readonly runId?: string }): string =>
  runId === undefined ? by : `run ${runId}`;

const of = ['<workflow>', 'name of the workflow'] as const;
const key = ['<key>', 'key of the state'] as const;

export const ls = listCommand({
  of,
  json: 'print them as a JSON array',
  list: async (client, _options, name) => (await client.state.get(name)).values,
  columns: [
    { title: 'KEY', value: ({ key: named }) => named },
    { title: 'VALUE', value: shown, canShrink: true },
    { title: 'WRITES', value: ({ revision }) => `${revision}` },
    { title: 'AT', value: ({ written }, { instantText }) => (written === undefined ? '' : instantText(written.at)) },
    { title: 'BY', value: ({ written }) => (written === undefined ? 'default' : writerOf(written)), dispensable: true },
    { title: 'PROBLEM', value: problemOf },
  ],
  none: 'The workflow declares no state. `state: { cursor: { type: string, default: "" } }` at its top would.',
  examples: [['baton state ls invoices', 'list what the workflow remembers, and what wrote it']],
});

function problemOf({ type, fits }: StateValue): string {
  if (type === undefined) return 'not declared any more';
  return fits ? '' : 'does not fit: each run fails';
}

export const get = commandOf({
  form: (command) =>
    command
      .argument(...of)
      .argument(...key)
      .option('--history', 'list its newest writes instead; a hundred old values are kept')
      .option('--json', 'with --history: print them as a JSON array'),
  act: async (context, [workflow, named], { history, json }) => {
    const client = await context.client();
    if (history !== true) {
      const found = await valueOf(client, workflow, named);
      if (found.value !== undefined) return context.stdout.line(jsonText(found.value));
      throw new CommandError(exitCodes.notAllowed, 'The value is hidden: your role may not read values (runs:values).');
    }
    const { data } = await client.state.writes(workflow, named);
    if (json === true) return context.stdout.line(jsonText(data));
    await printRows(context, data, {
      columns: [
        { title: 'WRITE', value: ({ revision }) => `${revision}` },
        { title: 'VALUE', value: shown, canShrink: true },
        { title: 'AT', value: ({ at }, { instantText }) => instantText(at) },
        { title: 'BY', value: writerOf, dispensable: true },
      ],
      none: 'Nothing has written it yet.',
    });
  },
  examples: [
    ['baton state get invoices cursor', 'print the value as JSON'],
    ['baton state get invoices cursor --history', 'list its newest writes'],
  ],
});

export const set = commandOf({
  form: (command) =>
    command
      .argument(...of)
      .argument(...key)
      .argument('<value>', 'text or JSON, as the type of the key says')
      .option('--if-writes <number>', 'only if the key was written so often, as `baton state ls` shows', limitArgument),
  act: async (context, [workflow, named, text], { ifWrites }) => {
    const client = await context.client();
    const { typedInput } = await import('../inputs/typedInput.ts');
    const { type } = await valueOf(client, workflow, named);
    const typed = typedInput(text, type);
    if ('problem' in typed) throw new CommandError(exitCodes.usage, `The value ${typed.problem}.`);
    const { revision } = await client.state.set(workflow, named, typed.value, { revision: ifWrites });
    context.stderr.line(`The value is set; it is write ${revision} of the key. Runs that begin from now on read it.`);
  },
  examples: [
    ['baton state set invoices cursor 2026-11-01', 'replace a value'],
    ['baton state set invoices seen \'["a", "b"]\' --if-writes 12', 'only if nothing else has written it'],
  ],
});

/** Rejects with `CommandError` where there is no such key. */
async function valueOf(
  client: Client,
  workflow: string,
  named: string,
): Promise<StateValue & { readonly value?: Json }> {
  const { values } = await client.state.get(workflow);
  const found = values.find((one) => one.key === named);
  if (found !== undefined) return found;
  const keys = values.map((one) => one.key).join(', ');
  const hint = keys === '' ? 'the workflow declares no state' : `it has ${keys}`;
  throw new CommandError(exitCodes.notFound, `The state of ${workflow} has no key "${named.slice(0, 80)}".`, { hint });
}
