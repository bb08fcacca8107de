/** Whether a workflow can be deployed: what is wrong with its text, and what its servers say to it. */
import { failureCodes } from '@baton/engine';
import type { CheckReport, DecidedEffect, Finding, Workflow, WorkflowSignature } from '@baton/language';
import { checkWorkflow, childrenOf, parseWorkflow, targetsOf } from '@baton/language';
import type { Pins } from '@baton/store';

import type { ProblemDetail } from '../http/problem.ts';
import { ProblemError } from '../http/problem.ts';
import { driftSince, effectOf, pinsOf } from './pins.ts';
import type { Asked, ServerBook } from './serverBook.ts';

export interface Checked {
  readonly findings: readonly Finding[];
  /** Present where nothing is an error. */
  readonly workflow: Workflow | undefined;
  /** Effects, and what could be proved, of each call; absent where the form is broken. */
  readonly report: CheckReport | undefined;
}

/** Without asking anybody. */
export function checkText(text: string): Checked {
  const { workflow, findings, report } = checkWorkflow(text, { failureCodes: Object.keys(failureCodes) });
  return { workflow, findings, report };
}

export interface CheckedWithServers extends Checked {
  /** What each server said. */
  readonly asked: ReadonlyMap<string, Asked>;
  /** Of the newest version that is deployed. */
  readonly before: Pins;
}

/** What is deployed already. */
export interface Standing {
  /** Of workflows by `id` and `id@version`, as far as there are such. */
  signatures(workflows: readonly string[]): Promise<ReadonlyMap<string, WorkflowSignature>>;
  /** Names of all that are stored. */
  secrets(): Promise<ReadonlySet<string>>;
  /** What the newest version of a workflow relies on. */
  pins(workflow: string): Promise<Pins>;
}

/** Also asks the servers that the workflow names. Those that do not answer soon are taken on trust. */
export async function checkWithServers(
  text: string,
  book: ServerBook,
  standing?: Standing,
): Promise<CheckedWithServers> {
  // Servers are asked also for what has other mistakes: everything is told at once.
  const { workflow: written } = parseWorkflow(text);
  if (written === undefined) return { ...checkText(text), asked: new Map(), before: {} };
  const asked = await book.ask(new Set(targetsOf(written).map(({ server }) => server)));
  const before = (await standing?.pins(written.workflow)) ?? {};
  const servers = new Map([...book.unasked(), ...[...asked].map(([name, { offer }]) => [name, offer] as const)]);
  const { workflow, findings, report } = checkWorkflow(text, {
    failureCodes: Object.keys(failureCodes),
    servers,
    effects: (server, tool) => effectIn(asked, server, tool),
    drift: driftSince(before, asked),
    ...(standing && { workflows: await standing.signatures(childrenOf(written)) }),
    // Most workflows use none.
    ...(standing && text.includes('secret') && { secrets: await standing.secrets() }),
  });
  return { workflow, findings, report, asked, before };
}

function effectIn(asked: ReadonlyMap<string, Asked>, server: string, name: string): DecidedEffect | undefined {
  const answer = asked.get(server);
  const tool = answer?.tools?.find((one) => one.name === name);
  return answer && effectOf(name, tool, answer.policy);
}

export interface Deployable {
  readonly workflow: Workflow;
  readonly findings: readonly Finding[];
  /** What is relied on of the tools. Of a server that does not answer, what was relied on before. */
  readonly pins: Pins;
}

/** Throws `ProblemError` with every finding where one of them is an error. `pointer`: where in the body the text stands. */
export async function deployable(
  text: string,
  book: ServerBook,
  pointer?: string,
  standing?: Standing,
): Promise<Deployable> {
  const { workflow, findings, asked, before } = await checkWithServers(text, book, standing);
  if (workflow === undefined) throw invalidWorkflow(findings, pointer);
  return { workflow, findings, pins: pinsOf(workflow, asked, before) };
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
