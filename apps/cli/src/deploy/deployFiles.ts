/** `baton deploy`: every file is tried, whatever becomes of the others. */
import type { Client, ProblemDetail } from '@baton/api/client';
import { ProblemError } from '@baton/api/client';
import type { Finding } from '@baton/language';

import { plural } from '../check/checkedFile.ts';
import { checkFile } from '../check/checkFile.ts';
import { printFindings } from '../check/printFindings.ts';
import type { AddressOptions } from '../client/address.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exitCodes.ts';
import { exitCodes } from '../exitCodes.ts';
import { jsonText } from '../output/json.ts';
import type { Output } from '../output/output.ts';
import { oneLine } from '../output/text.ts';
import type { WorkflowFile } from '../workflowFiles.ts';
import { readWorkflowFiles } from '../workflowFiles.ts';

export interface DeploySettings {
  readonly isDryRun: boolean;
  readonly asJson: boolean;
}

/** What became of a file. */
interface Deployment {
  readonly file: string;
  readonly outcome: 'deployed' | 'unchanged' | 'valid' | 'refused';
  readonly id?: string;
  readonly version?: number;
  readonly digest?: string;
  readonly findings: readonly Finding[];
}

export async function deployFiles(
  context: Context,
  address: AddressOptions,
  names: readonly string[],
  { isDryRun, asJson }: DeploySettings,
): Promise<ExitCode> {
  const files = await readWorkflowFiles(context, names);
  const client = await context.client(address);
  const all: Deployment[] = [];
  for (const file of files) {
    const deployment = await (isDryRun ? tryOut(client, file) : deploy(client, file));
    printFindings(context.stderr, file.name, deployment.findings);
    if (!asJson) context.stdout.line(lineOf(deployment, context.stdout));
    all.push(deployment);
  }
  if (asJson) context.stdout.line(jsonText(all));
  const refused = all.filter(({ outcome }) => outcome === 'refused').length;
  if (refused === 0) return exitCodes.done;
  context.stderr.line(`${refused} of ${plural(all.length, 'file')} cannot be deployed.`);
  return exitCodes.usage;
}

/** What can be known here is not asked of the server. */
async function deploy(client: Client, { name, text }: WorkflowFile): Promise<Deployment> {
  const { workflow, findings } = checkFile(name, text);
  if (workflow === undefined) return { file: name, outcome: 'refused', findings };
  try {
    const { id, version, digest, isNew, findings: said } = await client.workflows.deploy(text);
    return { file: name, outcome: isNew ? 'deployed' : 'unchanged', id, version, digest, findings: said };
  } catch (error) {
    const isInvalid = error instanceof ProblemError && error.status === 422 && error.errors.length > 0;
    if (!isInvalid) throw error;
    return { file: name, outcome: 'refused', findings: error.errors.map(findingOf) };
  }
}

async function tryOut(client: Client, { name, text }: WorkflowFile): Promise<Deployment> {
  const { findings } = await client.workflows.check(text, { servers: true });
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  return { file: name, outcome: hasErrors ? 'refused' : 'valid', findings };
}

/** As a problem tells of it, without what it leaves out. */
const findingOf = ({ pointer = '', line = 1, column = 1, code, frame = '', ...rest }: ProblemDetail): Finding => ({
  frame,
  ...rest,
  code,
  line,
  column,
  severity: 'error',
  path: pointer,
});

function lineOf({ file, outcome, id, version }: Deployment, { isTerminal, paint }: Output): string {
  const cells = [id === undefined ? file : `${oneLine(id)}@${version}`, outcome, id === undefined ? '' : file];
  if (!isTerminal) return cells.join('\t').trimEnd();
  const sign = outcome === 'refused' ? paint.red('✗') : outcome === 'unchanged' ? paint.dim('✓') : paint.green('✓');
  return `${sign} ${paint.bold(cells[0] ?? '')} ${outcome}${cells[2] === '' ? '' : paint.dim(`  ${cells[2]}`)}`;
}
