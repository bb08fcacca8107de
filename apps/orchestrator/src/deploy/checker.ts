/** Whether a workflow can be deployed: what is wrong with its text, and what its servers say to it. */
import { failureCodes } from '@baton/engine';
import type { Finding, Workflow } from '@baton/language';
import { checkServers, checkWorkflow, targetsOf } from '@baton/language';
import type { Pins } from '@baton/store';

import type { ProblemDetail } from '../http/problem.ts';
import { ProblemError } from '../http/problem.ts';
import { pinsOf } from './pins.ts';
import type { Asked, ServerBook } from './serverBook.ts';

export interface Checked {
  readonly findings: readonly Finding[];
  /** Present where nothing is an error. */
  readonly workflow: Workflow | undefined;
}

/** Without asking anybody. */
export function checkText(text: string): Checked {
  const { workflow, findings } = checkWorkflow(text, { failureCodes: Object.keys(failureCodes) });
  return { workflow, findings };
}

export interface CheckedWithServers extends Checked {
  /** What each server said. */
  readonly asked: ReadonlyMap<string, Asked>;
}

/** Also asks the servers that the workflow names. Those that do not answer soon are taken on trust. */
export async function checkWithServers(text: string, book: ServerBook): Promise<CheckedWithServers> {
  const { workflow, findings } = checkText(text);
  if (workflow === undefined) return { workflow, findings, asked: new Map() };
  const asked = await book.ask(new Set(targetsOf(workflow).map(({ server }) => server)));
  const offers = new Map([...book.unasked(), ...[...asked].map(([name, { offer }]) => [name, offer] as const)]);
  const found = checkServers(text, workflow, offers);
  const all = [...findings, ...found].toSorted((a, b) => a.line - b.line || a.column - b.column);
  return { workflow: found.some(isError) ? undefined : workflow, findings: all, asked };
}

export interface Deployable {
  readonly workflow: Workflow;
  readonly findings: readonly Finding[];
  /** What is relied on of the tools; `before` fills in for servers that do not answer. */
  readonly pins: (before: Pins) => Pins;
}

/** Throws `ProblemError` with every finding where one of them is an error. `pointer`: where in the body the text stands. */
export async function deployable(text: string, book: ServerBook, pointer?: string): Promise<Deployable> {
  const { workflow, findings, asked } = await checkWithServers(text, book);
  if (workflow === undefined) throw invalidWorkflow(findings, pointer);
  return { workflow, findings, pins: (before) => pinsOf(workflow, asked, before) };
}

const isError = ({ severity }: Finding): boolean => severity === 'error';

function invalidWorkflow(findings: readonly Finding[], pointer = ''): ProblemError {
  const errors = findings.filter(isError);
  const count = errors.length;
  const first = errors.at(0);
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return new ProblemError('workflow-invalid', `${first?.message ?? 'The workflow has errors.'}${more}`, {
    errors: findings.map(({ path, file: _file, ...rest }): ProblemDetail => ({
      pointer: `${pointer}${path}`,
      ...rest,
    })),
  });
}
