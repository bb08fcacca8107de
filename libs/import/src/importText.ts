/** Detects the system of a file, and imports it. */
import { type ForeignText, type Workflow, printWorkflow } from '@baton/language';
import { isObject } from '@baton/primitives';

import { importGithub } from './github/importGithub.ts';
import type { ImportedWorkflow } from './importing.ts';
import { importN8n } from './n8n/importN8n.ts';

export type ForeignSystem = 'n8n' | 'github';

export interface ImportedText extends ImportedWorkflow {
  /** The workflow as a file. */
  readonly source: string;
}

const importers: Readonly<Record<ForeignSystem, (text: ForeignText, name: string) => ImportedWorkflow>> = {
  n8n: importN8n,
  github: importGithub,
};

/** Detects the system by the content; undefined: neither. */
export function systemOf({ value }: ForeignText): ForeignSystem | undefined {
  if (!isObject(value)) return undefined;
  if (Array.isArray(value['nodes']) && isObject(value['connections'])) return 'n8n';
  return isObject(value['jobs']) ? 'github' : undefined;
}

/** `name`: the name of the file, without its extension. */
export function importText(text: ForeignText, system: ForeignSystem, name: string): ImportedText {
  const imported = importers[system](text, name);
  return { ...imported, source: printWorkflow(imported.workflow as unknown as Workflow) };
}
