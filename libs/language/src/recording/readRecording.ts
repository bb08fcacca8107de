import { limits } from '@baton/expressions';

import { explainIssues } from '../document/explain.ts';
import type { Finding } from '../finding.ts';
import { Document } from '../yaml/document.ts';
import { printYaml } from '../yaml/printYaml.ts';
import { dataTreeOf } from '../yaml/tree.ts';
import { type Recording, RecordingSchema } from './recording.ts';

/** Present if there is no mistake. */
export interface ReadRecording {
  readonly recording?: Recording;
  readonly findings: readonly Finding[];
}

/** YAML 1.2 or JSON. Never throws. */
export function readRecording(text: string): ReadRecording {
  const { bytes } = limits.recording;
  if (text.length > bytes) {
    const problem = {
      code: 'too-large',
      pointer: '',
      message: `The file is larger than ${bytes} characters.`,
    } as const;
    return { findings: new Document('').findings([problem]) };
  }
  const document = new Document(text, undefined, dataTreeOf);
  const { value, problems } = document;
  if (value === undefined) return { findings: document.findings(problems) };
  const { error } = RecordingSchema.safeParse(value);
  const all = [...problems, ...explainIssues(value, error?.issues.slice(0, limits.document.findings) ?? [])];
  // The document itself and not zod's copy: keys keep their order.
  return all.length > 0 ? { findings: document.findings(all) } : { recording: value as Recording, findings: [] };
}

/** As YAML. Read again, it is the same recording. */
export const printRecording = (recording: Recording): string => printYaml(recording, 0);
