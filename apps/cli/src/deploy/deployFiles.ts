/** `baton deploy`: deploys all files, or none if one of them has an error. */
import type { Client } from '@baton/api/client';

import { printFindings } from '../check/printFindings.ts';
import { twinsOf } from '../check/twinsOf.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exitCodes.ts';
import { jsonText } from '../output/json.ts';
import { plural } from '../output/text.ts';
import { type WorkflowFile, readWorkflowFiles } from '../workflowFiles.ts';
import { type Deployment, deployFile, lineOfDeployment, scheduleLines, tryFile } from './deployFile.ts';

export async function deployFiles(
  context: Context,
  names: readonly string[],
  { dryRun: isDryRun = false, json: asJson = false }: { readonly dryRun?: boolean; readonly json?: boolean },
): Promise<ExitCode> {
  const files = await readWorkflowFiles(context, names);
  const client = await context.client();
  const isAlone = files.length === 1;
  // The server checks a file again when it deploys it, so a single file is not checked twice.
  const tried = isDryRun || !isAlone ? await tryFiles(context, client, files) : [];
  const isSound = tried.every(({ outcome }) => outcome !== 'refused');
  const deployed: Deployment[] = [];
  try {
    if (isSound && !isDryRun) for (const file of files) deployed.push(await deployFile(context.stderr, client, file));
  } catch (error) {
    // What is deployed stays deployed.
    print(context, deployed, asJson);
    throw error;
  }
  const all = deployed.length > 0 ? deployed : tried;
  print(context, all, asJson);
  const refused = all.filter(({ outcome }) => outcome === 'refused').length;
  if (refused === 0) return exitCodes.done;
  // The server refuses some files only when it deploys them, for instance for a webhook secret that is too short.
  const isAnyDeployed = deployed.some(({ outcome }) => outcome !== 'refused');
  const nothing = isDryRun || isAlone || isAnyDeployed ? '' : ' Nothing was deployed.';
  context.stderr.line(`${refused} of ${plural(all.length, 'file')} cannot be deployed.${nothing}`);
  return exitCodes.usage;
}

async function tryFiles(context: Context, client: Client, files: readonly WorkflowFile[]): Promise<Deployment[]> {
  const twins = twinsOf(files);
  const tried: Deployment[] = [];
  for (const file of files) {
    const one = await tryFile(context.stderr, client, file);
    const twin = twins.get(file.name)?.findings ?? [];
    tried.push(twin.length === 0 ? one : { ...one, outcome: 'refused', findings: [...twin, ...one.findings] });
  }
  return tried;
}

function print({ stdout, stderr }: Context, all: readonly Deployment[], asJson: boolean): void {
  for (const one of all) {
    printFindings(stderr, one.file, one.findings);
    if (asJson) continue;
    stdout.line(lineOfDeployment(one, stdout));
    for (const line of scheduleLines(one, stderr)) stderr.line(line);
  }
  if (asJson) stdout.line(jsonText(all));
}
