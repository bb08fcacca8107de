/** `baton import`: reads a file of another system, writes the workflow, and prints what is left to do. */
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { type ForeignSystem, type ImportedText, importText, systemOf } from '@baton/import';
import { type Finding, readForeign } from '@baton/language';

import { checkFile } from '../check/checkFile.ts';
import { printFindings } from '../check/printFindings.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exitCodes.ts';
import { jsonText } from '../output/json.ts';
import { plural } from '../output/text.ts';
import { readWorkflowFile } from '../workflowFiles.ts';

const systemNames: Readonly<Record<ForeignSystem, string>> = { n8n: 'n8n', github: 'GitHub Actions' };

/** Rejects with `CommandError` for a file of an unknown system. */
export async function importFile(
  context: Context,
  file: string,
  { output, from, json }: { readonly output?: string; readonly from?: ForeignSystem; readonly json?: true },
): Promise<ExitCode> {
  const { text, name: place } = await readWorkflowFile(context, file);
  const foreign = readForeign(text);
  const system = from ?? systemOf(foreign);
  if (foreign.value === undefined || system === undefined) {
    printFindings(context.stderr, file, foreign.findings.slice(0, 5));
    if (foreign.findings.some(({ severity }) => severity === 'error'))
      throw new CommandError(exitCodes.usage, `${place} cannot be read.`);
    throw new CommandError(exitCodes.usage, `${file} is not a workflow of n8n or GitHub Actions.`, {
      hint: 'export it from n8n with "Download", or give a file of .github/workflows',
    });
  }
  const imported = importText(foreign, system, basename(file).replace(/\.[^.]+$/, ''));
  const { source } = imported;
  const name = output ?? 'imported';
  const { findings: left } = checkFile(name, source);
  if (json === true) {
    const servers = [...imported.servers].map(([server, tools]) => ({ name: server, tools: [...tools].toSorted() }));
    context.stdout.line(jsonText({ system, source, findings: imported.findings, servers, check: left }));
    return exitCodes.done;
  }
  if (output === undefined) context.stdout.line(source.trimEnd());
  else await write(output, source);
  printFindings(context.stderr, file, imported.findings);
  printNextSteps(context, { imported, from: systemNames[system], output, left });
  return exitCodes.done;
}

async function write(output: string, source: string): Promise<void> {
  try {
    await writeFile(output, source, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'the file exists already' : message;
    throw new CommandError(exitCodes.usage, `${output} cannot be written: ${why}.`, { cause: error });
  }
}

interface NextParts {
  readonly imported: ImportedText;
  readonly from: string;
  readonly output: string | undefined;
  /** Findings of the check of the written workflow. */
  readonly left: readonly Finding[];
}

function printNextSteps({ stderr }: Context, { imported, from, output, left }: NextParts): void {
  const { bold } = stderr.paint;
  const { workflow, findings, servers } = imported;
  stderr.line(`${bold(workflow.workflow)} is imported from ${from}, with ${plural(findings.length, 'finding')}.`);
  for (const [server, tools] of servers) {
    const some = [...tools].toSorted();
    stderr.line(
      `  mcp.json needs a server ${bold(server)} with the tools ${some.slice(0, 6).join(', ')}${some.length > 6 ? ', …' : ''}`,
    );
  }
  const errors = left.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) stderr.line(`baton check finds ${plural(errors, 'error')} in it; correct them before you deploy it.`);
  if (output !== undefined)
    stderr.line(
      `Next: ${bold(`baton check ${output}`)}, and with its servers ${bold(`baton check --servers ${output}`)}`,
    );
}
