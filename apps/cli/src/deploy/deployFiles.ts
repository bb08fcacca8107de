/** `baton deploy`: deploys all files, or none if one of them has an error. */
import { plural } from '../check/checkedFile.ts';
import { printFindings } from '../check/printFindings.ts';
import type { AddressOptions } from '../client/address.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exitCodes.ts';
import { exitCodes } from '../exitCodes.ts';
import { jsonText } from '../output/json.ts';
import { readWorkflowFiles } from '../workflowFiles.ts';
import type { Deployment } from './deployFile.ts';
import { deployFile, lineOfDeployment, tryFile } from './deployFile.ts';

export interface DeploySettings {
  readonly isDryRun: boolean;
  readonly asJson: boolean;
}

export async function deployFiles(
  context: Context,
  address: AddressOptions,
  names: readonly string[],
  { isDryRun, asJson }: DeploySettings,
): Promise<ExitCode> {
  const files = await readWorkflowFiles(context, names);
  const client = await context.client(address);
  const isAlone = files.length === 1;
  const tried: Deployment[] = [];
  // The server checks a file again when it deploys it, so a single file is not checked twice.
  if (isDryRun || !isAlone) for (const file of files) tried.push(await tryFile(context.stderr, client, file));
  const isSound = tried.every(({ outcome }) => outcome !== 'refused');
  const deployed: Deployment[] = [];
  if (isSound && !isDryRun) for (const file of files) deployed.push(await deployFile(context.stderr, client, file));
  const all = deployed.length > 0 ? deployed : tried;
  for (const one of all) {
    printFindings(context.stderr, one.file, one.findings);
    if (!asJson) context.stdout.line(lineOfDeployment(one, context.stdout));
  }
  if (asJson) context.stdout.line(jsonText(all));
  const refused = all.filter(({ outcome }) => outcome === 'refused').length;
  if (refused === 0) return exitCodes.done;
  const nothing = isDryRun || isAlone ? '' : ' Nothing was deployed.';
  context.stderr.line(`${refused} of ${plural(all.length, 'file')} cannot be deployed.${nothing}`);
  return exitCodes.usage;
}
