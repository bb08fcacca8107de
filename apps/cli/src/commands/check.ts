import type { Command } from 'commander';
import { Option } from 'commander';

import type { CheckedFile } from '../check/checkedFile.ts';
import type { CheckFormat } from '../check/checkFormats.ts';
import { checkFormats } from '../check/checkFormats.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import type { WorkflowFile } from '../workflowFiles.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly servers?: true;
  readonly format: CheckFormat;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<files...>', 'workflow files, folders of them, or - for stdin')
    .option('--servers', 'also check against the tools of the MCP servers')
    .addOption(new Option('--format <format>', 'output format').choices(checkFormats).default('text'))
    .option('--json', 'the same as --format json')
    .action(async (names: readonly string[], options: Options) => check(context, command, names, options));
  addExamples(command, [
    ['baton check examples/', 'check all workflows in a folder, without servers'],
    ['baton check --servers deploy.workflow.yaml', 'also check tools, arguments and outputs'],
    ['baton check --format github .', 'print annotations for a pull request'],
    ['baton check --format sarif . > findings.sarif', 'write SARIF for code scanning'],
  ]);
}

async function check(context: Context, command: Command, names: readonly string[], options: Options): Promise<void> {
  const { readWorkflowFiles } = await import('../workflowFiles.ts');
  const files = await readWorkflowFiles(context, names);
  const ask = options.servers === true ? await askServers(context, command) : checkHere;
  const checked: CheckedFile[] = [];
  for (const file of files) checked.push(await ask(file));
  const { formatCheck } = await import('../check/formatCheck.ts');
  const text = formatCheck(checked, options.json === true ? 'json' : options.format, context.stdout.paint);
  if (text !== '') context.stdout.line(text);
  const hasErrors = checked.some(({ findings }) => findings.some(({ severity }) => severity === 'error'));
  context.exitCode = hasErrors ? exitCodes.failed : exitCodes.done;
  // That nothing was found is not that nothing is there.
  const isWhole = options.servers === true || hasErrors || options.json === true || options.format !== 'text';
  if (!isWhole) context.stderr.line('Tools were not checked against the servers; use --servers for that.');
}

type FileCheck = (file: WorkflowFile) => Promise<CheckedFile>;

const checkHere: FileCheck = async ({ name, text }) => {
  const { checkFile } = await import('../check/checkFile.ts');
  return { name, findings: checkFile(name, text).findings };
};

async function askServers(context: Context, command: Command): Promise<FileCheck> {
  const client = await context.client(command.optsWithGlobals());
  return async ({ name, text }) => {
    const { findings } = await client.workflows.check(text, { servers: true });
    return { name, findings };
  };
}
