import { Option } from '@commander-js/extra-typings';

import { type CheckedFile, type CheckFormat, checkFormats } from '../check/checkedFile.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { shellWord } from '../shellWord.ts';
import type { WorkflowFile } from '../workflowFiles.ts';
import { commandOf } from './defineCommand.ts';

interface CheckOptions {
  readonly servers?: true;
  readonly fix?: true;
  readonly dryRun?: true;
  readonly format: CheckFormat;
  readonly json?: true;
}

export const define = commandOf({
  form: (command) =>
    command
      .argument('[files...]', 'workflow files, folders of them, or - for stdin', ['.'])
      .option('--servers', 'also check against the tools of the MCP servers')
      .option('--fix', 'apply the certain corrections to the files, and report the other findings')
      .option('--dry-run', 'with --fix: show the corrections, and leave the files unchanged')
      .addOption(new Option('--format <format>', 'output format').choices(checkFormats).default('text'))
      .option('--json', 'the same as --format json'),
  act: (context, [names], options) => check(context, names, options),
  examples: [
    ['baton check', 'check all workflows in this folder'],
    ['baton check examples/', 'check all workflows in a folder'],
    ['baton check --servers deploy.workflow.yaml', 'also check tools, arguments and outputs'],
    ['baton check --fix --dry-run .', 'show the certain corrections'],
    ['baton check --format github .', 'print annotations for a pull request'],
    ['baton check --format sarif . > findings.sarif', 'write SARIF for code scanning'],
  ],
});

async function check(context: Context, names: readonly string[], options: CheckOptions): Promise<void> {
  const { readWorkflowFiles } = await import('../workflowFiles.ts');
  const given = await readWorkflowFiles(context, names);
  const files = options.fix === true ? await fixed(context, given, options) : given;
  const { formatCheck } = await import('../check/formatCheck.ts');
  const { paint, columns } = context.stdout;
  const format = options.json === true ? 'json' : options.format;
  const print = (checked: readonly CheckedFile[], toolsCheck?: string): void => {
    const text = formatCheck(checked, format, { paint, columns: columns(), toolsCheck });
    if (text !== '') context.stdout.line(text);
  };
  const checked = options.servers === true ? await checkWithServers(context, files, print) : await checkAll(files);
  const hasErrors = checked.some(({ findings }) => findings.some(({ severity }) => severity === 'error'));
  const isPartial = options.servers !== true && format === 'text' && !hasErrors;
  print(checked, isPartial ? await toolsCheckOf(names, files) : undefined);
  context.exitCode = hasErrors ? exitCodes.failed : exitCodes.done;
  if (format !== 'text') return;
  const { stderr } = context;
  const found = checked.flatMap(({ findings }) => findings);
  const code = (found.find(({ severity }) => severity === 'error') ?? found[0])?.code;
  if (code !== undefined && stderr.isTerminal)
    stderr.line(stderr.paint.dim(`More about a finding: baton explain ${code}`));
}

const namesWidthMax = 40;

/** The command that checks the tools of these files too; undefined if they use no server. */
async function toolsCheckOf(names: readonly string[], files: readonly WorkflowFile[]): Promise<string | undefined> {
  const { outlineOf } = await import('@baton/language');
  if (!files.some(({ text }) => (outlineOf(text)?.servers ?? []).length > 0)) return undefined;
  const named = names.map(shellWord).join(' ');
  if (named === '.') return 'baton check --servers';
  return `baton check --servers ${named.length > namesWidthMax ? '…' : named}`;
}

/** The corrected files; with `--dry-run` they are not written. */
async function fixed(
  context: Context,
  files: readonly WorkflowFile[],
  { servers, dryRun }: CheckOptions,
): Promise<readonly WorkflowFile[]> {
  const { fixFiles } = await import('../check/fixFiles.ts');
  const { knowledgeFor } = await import('../knowledge/knowledgeFor.ts');
  const knowledge = await knowledgeFor(context, { asks: servers === true });
  return fixFiles(context, files, { known: knowledge.known, isDryRun: dryRun === true });
}

async function checkAll(files: readonly WorkflowFile[]): Promise<CheckedFile[]> {
  const { checkFile } = await import('../check/checkFile.ts');
  const { withTwins } = await import('../check/twinsOf.ts');
  const checked = files.map(({ name, text }) => ({ name, findings: checkFile(name, text).findings }));
  return withTwins(files, checked);
}

/** If Baton does not answer, prints the findings of the offline check before it rejects. */
async function checkWithServers(
  context: Context,
  files: readonly WorkflowFile[],
  print: (checked: readonly CheckedFile[]) => void,
): Promise<CheckedFile[]> {
  try {
    const client = await context.client();
    const checked: CheckedFile[] = [];
    for (const { name, text } of files) {
      const { findings } = await client.workflows.check(text, { servers: true });
      checked.push({ name, findings });
    }
    const { withTwins } = await import('../check/twinsOf.ts');
    return withTwins(files, checked);
  } catch (error) {
    const checked = await checkAll(files);
    if (checked.some(({ findings }) => findings.length > 0)) print(checked);
    throw error;
  }
}
