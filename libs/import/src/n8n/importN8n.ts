/** Imports a workflow of n8n: its graph becomes a list of steps with branches, loops and error handlers. */
import { childOf } from '@baton/expressions';
import type { ForeignText } from '@baton/language';
import type { JsonObject } from '@baton/primitives';

import { readJavascript } from '../expression/readJavascript.ts';
import { type ImportedWorkflow, type StepDraft, Import } from '../importing.ts';
import { n8nMarks } from '../marked.ts';
import { slugOf } from '../stepIds.ts';
import { N8nGraph } from './n8nGraph.ts';
import { noteSettings } from './n8nKeys.ts';
import { N8nSteps } from './n8nSteps.ts';
import { isTrigger, startOf } from './n8nTriggers.ts';
import { type N8nNode, type N8nWorkflow, readN8n } from './readN8n.ts';

/** `text.value`: an object with `nodes` and `connections`. */
export function importN8n(text: ForeignText): ImportedWorkflow {
  const importing = new Import(text, { marks: n8nMarks, read: readJavascript });
  const workflow = readN8n(text.value ?? null);
  const { nodes, name, timezone, settings } = workflow;
  noteSettings(importing, settings);
  const triggers = triggersOf(workflow, importing);
  const served = new Set([...nodes.values()].flatMap(({ helpers }) => helpers.map((one) => one.name)));
  const targets = new Set([...nodes.values()].flatMap(({ outputs }) => outputs.flat()));
  const first = [...nodes.keys()].filter((one) => !targets.has(one) && !served.has(one));
  const roots = triggers.length > 0 ? triggers.map((one) => one.name) : first.slice(0, 1);
  const graph = new N8nGraph(nodes, roots);
  const starts = new Map(triggers.map((one) => [one.name, startOf(importing, one, timezone)]));
  const steps = new N8nSteps({ importing, workflow, graph, starts });
  const importedSteps = steps.all(roots);
  for (const one of nodes.values()) {
    if (graph.has(one.name) || served.has(one.name) || isTrigger(one)) continue;
    importing.note('left-out', { pointer: one.pointer, message: `Nothing leads to "${one.name}", so it is left out.` });
  }
  const all = [...starts.values()];
  const { executionTimeout: limit } = settings;
  const [, second] = triggers;
  if (second !== undefined) {
    const message =
      'Several triggers start it. Where a step reads the output of the trigger, it is that of the first one.';
    importing.note('differs', { pointer: second.pointer, message });
  }
  const on = [...new Map(all.flatMap((start) => start.on).map((one) => [JSON.stringify(one), one])).values()];
  const inputs: JsonObject = Object.assign({}, ...all.map((start) => start.inputs)) as JsonObject;
  return {
    workflow: {
      workflow: slugOf(name, 'imported'),
      ...(slugOf(name, 'imported') === name ? {} : { title: name.slice(0, 120) }),
      ...(on.length === 0 ? {} : { on }),
      ...(Object.keys(inputs).length === 0 ? {} : { inputs: all.length > 1 ? optionalInputs(inputs) : inputs }),
      ...(typeof limit === 'number' && limit > 0 ? { timeout: `${Math.round(limit)}s` } : {}),
      steps: importedSteps.length === 0 ? [{ set: { imported: true } } satisfies StepDraft] : importedSteps,
    },
    findings: importing.findings,
    servers: importing.servers,
  };
}

/** Makes inputs optional: a run of one trigger does not have the inputs of the others. */
const optionalInputs = (inputs: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(inputs).map(([key, one]) => [key, { ...(one as JsonObject), optional: true }]));

/** The triggers of the largest connected part; other parts would be other workflows. */
function triggersOf({ nodes }: N8nWorkflow, importing: Import): readonly N8nNode[] {
  const all = [...nodes.values()].filter((one) => isTrigger(one));
  const parts = all.map((trigger) => ({ trigger, reached: reachedFrom(trigger.name, nodes) }));
  const [largest] = parts.toSorted((a, b) => b.reached.size - a.reached.size);
  if (largest === undefined) return [];
  return parts.flatMap(({ trigger, reached }) => {
    if (trigger.kind === 'errorTrigger') {
      const message = 'Baton has no error trigger. Write `onFailure` in the workflow that fails.';
      importing.note('left-out', { pointer: trigger.pointer, message });
      return trigger === largest.trigger ? [trigger] : [];
    }
    if ([...reached].some((name) => largest.reached.has(name))) return [trigger];
    const message = `"${trigger.name}" starts a separate part, which is left out: Baton needs a workflow of its own for it.`;
    importing.note('left-out', { pointer: childOf(trigger.pointer, 'name'), message });
    return [];
  });
}

function reachedFrom(root: string, nodes: ReadonlyMap<string, N8nNode>): Set<string> {
  const reached = new Set([root]);
  for (const name of reached) for (const to of nodes.get(name)?.outputs.flat() ?? []) reached.add(to);
  // Includes the root itself.
  return reached;
}
