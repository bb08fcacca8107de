/** Deploys one workflow file. */
import {
  type Client,
  type ProblemDetail,
  type ScheduleChange,
  ProblemError,
  scheduleChangeText,
} from '@baton/api/client';
import type { Finding } from '@baton/language';

import { checkFile } from '../check/checkFile.ts';
import { checkWrongFile } from '../check/checkWrongFile.ts';
import type { Output } from '../output/output.ts';
import { oneLine } from '../output/text.ts';
import type { WorkflowFile } from '../workflowFiles.ts';

/** The outcome for a file. */
export interface Deployment {
  readonly file: string;
  readonly outcome: 'deployed' | 'unchanged' | 'valid' | 'refused';
  readonly id?: string;
  readonly version?: number;
  readonly digest?: string;
  readonly findings: readonly Finding[];
  readonly schedules?: readonly ScheduleChange[];
}

/** First checks offline, so that errors of a file are reported even if Baton does not answer. */
export async function deployFile(stderr: Output, client: Client, file: WorkflowFile): Promise<Deployment> {
  const { name, text } = file;
  const refused = await refusalOf(stderr, client, file);
  if (refused !== undefined) return refused;
  try {
    const { id, version, digest, isNew, findings: said, schedules } = await client.workflows.deploy(text);
    const outcome = isNew ? 'deployed' : 'unchanged';
    return { file: name, outcome, id, version, digest, findings: said, schedules };
  } catch (error) {
    const isInvalid = error instanceof ProblemError && error.status === 422 && error.errors.length > 0;
    if (!isInvalid) throw error;
    return { file: name, outcome: 'refused', findings: error.errors.map(findingOf) };
  }
}

/** Checks against the servers and deploys nothing. */
export async function tryFile(stderr: Output, client: Client, file: WorkflowFile): Promise<Deployment> {
  const { name, text } = file;
  const refused = await refusalOf(stderr, client, file);
  if (refused !== undefined) return refused;
  const { findings } = await client.workflows.check(text, { servers: true });
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  return { file: name, outcome: hasErrors ? 'refused' : 'valid', findings };
}

/** Undefined if the offline check finds no error. */
async function refusalOf(stderr: Output, client: Client, file: WorkflowFile): Promise<Deployment | undefined> {
  const { workflow, findings: offline } = checkFile(file.name, file.text);
  if (workflow !== undefined) return undefined;
  const findings = await checkWrongFile(stderr, async () => client, file, offline);
  return { file: file.name, outcome: 'refused', findings };
}

/** A finding of a problem, without the fields that the problem omits. */
const findingOf = ({ pointer = '', line = 1, column = 1, code, frame = '', ...rest }: ProblemDetail): Finding => ({
  frame,
  ...rest,
  code,
  line,
  column,
  severity: 'error',
  path: pointer,
});

/** What became of its schedules, one sentence each; nothing about those that run as before. */
export const scheduleLines = ({ schedules = [] }: Deployment, { paint }: Output): readonly string[] =>
  schedules.flatMap((one) => {
    const text = scheduleChangeText(one);
    return text === undefined ? [] : [`${one.paused ? paint.yellow('!') : paint.dim('·')} ${text}`];
  });

export function lineOfDeployment({ file, outcome, id, version }: Deployment, { isTerminal, paint }: Output): string {
  const cells = [id === undefined ? file : `${oneLine(id)}@${version}`, outcome, id === undefined ? '' : file];
  if (!isTerminal) return cells.join('\t').trimEnd();
  const paintTick = outcome === 'unchanged' ? paint.dim : paint.green;
  const sign = outcome === 'refused' ? paint.red('✗') : paintTick('✓');
  return `${sign} ${paint.bold(cells[0] ?? '')} ${outcome}${cells[2] === '' ? '' : paint.dim(`  ${cells[2]}`)}`;
}
