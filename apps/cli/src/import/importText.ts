/** Which system a file is of, and its importer. */
import type { ForeignText } from '@baton/language';
import { isObject } from '@baton/primitives';

import { importGithub } from './github/importGithub.ts';
import type { ImportedWorkflow } from './importing.ts';
import { importN8n } from './n8n/importN8n.ts';

export type ForeignSystem = 'n8n' | 'github';

const importers: Readonly<Record<ForeignSystem, (text: ForeignText, name: string) => ImportedWorkflow>> = {
  n8n: importN8n,
  github: importGithub,
};

/** By what is in it; undefined: it is of neither. */
export function systemOf({ value }: ForeignText): ForeignSystem | undefined {
  if (!isObject(value)) return undefined;
  if (Array.isArray(value['nodes']) && isObject(value['connections'])) return 'n8n';
  return isObject(value['jobs']) ? 'github' : undefined;
}

/** `name`: of the file, without its ending. */
export const importText = (text: ForeignText, system: ForeignSystem, name: string): ImportedWorkflow =>
  importers[system](text, name);
