/** Finds files that name one workflow: a deploy of one would replace the other as a new version. */
import { resolve } from 'node:path';

import { excerpt } from '@baton/expressions';
import { type Finding, type FindingCode, readForeign } from '@baton/language';
import { isObject } from '@baton/primitives';

import type { WorkflowFile } from '../workflowFiles.ts';
import type { CheckedFile } from './checkedFile.ts';

/** A file whose workflow another file has too. */
export interface Twin {
  readonly workflow: string;
  /** The name of the other file: the first, and for the first the second. */
  readonly other: string;
  /** Empty for the first file. */
  readonly findings: readonly Finding[];
}

interface Named {
  readonly file: WorkflowFile;
  readonly workflow: string;
  readonly finding: (message: string, hint: string) => Finding;
}

const code: FindingCode = 'duplicate-workflow';

/** By the name of the file. A file that is given twice is no twin of itself. */
export function twinsOf(files: readonly WorkflowFile[]): ReadonlyMap<string, Twin> {
  const firsts = new Map<string, Named>();
  const twins = new Map<string, Twin>();
  if (files.length < 2) return twins;
  for (const named of files.flatMap(namedIn)) {
    const { file, workflow } = named;
    const first = firsts.get(workflow);
    if (first === undefined) firsts.set(workflow, named);
    else if (placeOf(first.file) !== placeOf(file)) {
      const other = first.file.name;
      if (!twins.has(other)) twins.set(other, { workflow, other: file.name, findings: [] });
      const message = `${other} is the workflow "${excerpt(workflow)}" too.`;
      const finding = named.finding(message, 'give one of them another name: deployed, each would replace the other');
      twins.set(file.name, { workflow, other, findings: [finding] });
    }
  }
  return twins;
}

/** The files, each with the finding that it is a twin. */
export function withTwins(files: readonly WorkflowFile[], checked: readonly CheckedFile[]): CheckedFile[] {
  const twins = twinsOf(files);
  return checked.map(({ name, findings }) => ({ name, findings: [...(twins.get(name)?.findings ?? []), ...findings] }));
}

function namedIn(file: WorkflowFile): Named[] {
  const foreign = readForeign(file.text);
  const workflow = isObject(foreign.value) ? foreign.value['workflow'] : undefined;
  if (typeof workflow !== 'string') return [];
  const finding: Named['finding'] = (message, hint) =>
    foreign.findingAt({ pointer: '/workflow' }, { code, severity: 'error', message, hint });
  return [{ file, workflow, finding }];
}

const placeOf = ({ name, path }: WorkflowFile): string => (path === undefined ? name : resolve(path));
