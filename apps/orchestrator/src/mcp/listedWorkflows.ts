/** The workflows that a client may start, with what it has to give. */
import { control, type Principal } from '@baton/control';
import type { Plan } from '@baton/language';
import { type Json, type JsonObject, defined, isObject } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { type Store, type WorkflowSummary } from '@baton/store';

import type { GeneralAnswer } from '../tools/generalAnswers.ts';
import { describedBy } from './workflowTools.ts';

interface ListOptions {
  readonly store: Store;
  readonly plans: Plans;
}

type Listed = GeneralAnswer<'list_workflows'>;

const pageSize = 50;

/** Rejects with `UnavailableError`. */
export async function listedWorkflows(
  options: ListOptions,
  principal: Principal,
  after: string | undefined,
): Promise<Listed> {
  const { data, next: last } = await control.listWorkflows(options, principal, { limit: pageSize, after });
  const shown = await Promise.all(data.map((one) => shownWorkflow(options, one)));
  const found =
    shown.length === 0 ? 'No workflow is deployed for this key.' : 'run_workflow starts one of them with its `inputs`.';
  if (last === undefined) return { workflows: shown, next: found };
  return { workflows: shown, after: last, next: `${found} More: list_workflows with { "after": "${last}" }.` };
}

async function shownWorkflow(
  { store, plans }: ListOptions,
  { id, title, description, version }: WorkflowSummary,
): Promise<Listed['workflows'][number]> {
  const found = await store.findVersion({ workflow: id, version });
  const plan = found && (await plans(found.definition));
  return {
    id,
    ...defined({ title }),
    description: description ?? (plan === undefined ? '' : describedBy(id, title, plan)),
    version,
    inputs: plan === undefined ? {} : inputsOf(plan),
  };
}

function inputsOf({ inputs }: Pick<Plan, 'inputs'>): Listed['workflows'][number]['inputs'] {
  const schema = inputs as JsonObject;
  const needed = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : [];
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { ...shownProperty(isObject(property) ? property : {}), required: needed.includes(name) },
    ]),
  );
}

function shownProperty({ type, description, default: value, enum: choices }: JsonObject) {
  const types = Array.isArray(type) ? type.join(' or ') : type;
  return {
    type: typeof types === 'string' ? types : 'any',
    ...(typeof description === 'string' ? { description } : {}),
    ...defined({ default: value, enum: choices }),
  };
}
