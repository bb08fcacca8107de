/** Starts runs of a tree again as the orchestrator does: what it says that it repeats, and what it repeats. */
import {
  type CarriedOutcomes,
  type RunEvent,
  type ToldOutcome,
  carryOutcomes,
  carryToVersion,
  nothingCarried,
} from '@baton/engine';
import type { Plan } from '@baton/language';
import { planOf } from '@baton/testing';

import { type CallsInTree, callsInTree } from '../rerun/callsInTree.ts';
import { intentsBefore, withChildren } from '../rerun/pastRun.ts';
import { type TreeCall, RunTree } from './runTree.ts';

export const planOfText = (text: string): Plan => planOf(text, { 's/read': 'read' });

export interface Again {
  readonly kind: 'retry' | 'rerun';
  readonly from?: string;
  readonly asksAgain?: boolean;
  readonly told?: readonly ToldOutcome[];
}

export interface Rerun {
  readonly runId: string;
  readonly said: CallsInTree;
  /** The calls of the new run. */
  readonly made: readonly TreeCall[];
}

const digestOfRoot = (tree: RunTree): string => tree.newest.get('root') ?? 'root';

/** Starts a run again as the orchestrator does: `newest`: with the newest version of the workflow. */
export async function again(
  tree: RunTree,
  runId: string,
  { kind, from, asksAgain, told }: Again,
  newest = false,
): Promise<Rerun> {
  const events = tree.eventsOf(runId);
  const past = await withChildren(tree.sources, runId, events);
  const { children } = past;
  const definition = newest ? digestOfRoot(tree) : definitionOf(events);
  const plan = tree.plans.get(definition);
  if (plan === undefined) throw new Error(`there is no definition ${definition}`);
  const carry = { at: 1_800_000_000_000, from, asksAgain, told, children };
  let kept: CarriedOutcomes;
  const intents = await intentsBefore(tree.sources, events);
  const change = { ...carry, runId, inputs: { json: {} }, blobs: () => undefined, intents };
  if (newest) kept = carryToVersion(plan, events, change);
  else if (kind === 'retry' || from !== undefined) kept = carryOutcomes(plan, events, carry);
  else kept = nothingCarried;
  const said = await callsInTree(tree.sources, past, { definition, plan, own: plan, carried: kept });
  tree.ledger = [];
  const next = await tree.run({ workflow: 'root', definition, rerunOf: runId }, plan, kept.events);
  return { runId: next, said, made: tree.ledger };
}

const definitionOf = ([first]: readonly RunEvent[]): string =>
  first?.type === 'run.requested' ? first.definition : '';

export const endOf = (tree: RunTree, runId: string): string => {
  const last = tree.eventsOf(runId).at(-1);
  return last?.type === 'run.finished' ? last.status : 'unfinished';
};

export const pathsOf = (calls: readonly { readonly path: string }[]): string[] =>
  calls.map(({ path }) => path).toSorted();

/** Only these calls fail, the first time that they are made. */
export function failingOnce(tree: RunTree, ...paths: readonly string[]): void {
  const left = new Set(paths);
  tree.outcome = (path) => (left.delete(path) ? 'failed' : 'succeeded');
}

export const treeOf = (files: Readonly<Record<string, string>>): RunTree =>
  new RunTree(new Map(Object.entries(files).map(([name, text]) => [name, planOfText(`workflow: ${name}\n${text}`)])));

export const start = (tree: RunTree): Promise<string> => {
  const plan = tree.plans.get(digestOfRoot(tree));
  if (plan === undefined) throw new Error('there is no root');
  return tree.run({ workflow: 'root', definition: digestOfRoot(tree) }, plan);
};
