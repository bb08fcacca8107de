/** The file in this folder that a deployed workflow was probably made from: a run of the workflow is no run of the file. */
import { readFile } from 'node:fs/promises';

import type { Output } from '../output/output.ts';
import { fileNamesOf } from '../workflowFiles.ts';

interface DeployedText {
  readonly workflow: string;
  readonly version: number;
  /** As it was deployed. */
  readonly source: string;
}

/** Says where the file differs from what runs, and whether it could be deployed at all. */
export async function noteFileBeside(
  { line }: Pick<Output, 'line'>,
  { workflow, version, source }: DeployedText,
): Promise<void> {
  for (const file of fileNamesOf(workflow)) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined || text === source) continue;
    const { checkFile } = await import('../check/checkFile.ts');
    const checked = checkFile(file, text).workflow;
    if (checked !== undefined && checked.workflow !== workflow) continue;
    const why = checked === undefined ? 'has errors, which `baton check` shows' : 'is not what is deployed';
    return line(`note: ${file} ${why}: ${workflow}@${version} runs. Run the file with \`baton run ./${file}\`.`);
  }
}
