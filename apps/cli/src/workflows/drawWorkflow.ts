/** A workflow for a terminal: its state, what starts it, and its inputs. */
import type { Workflow, WorkflowVersion } from '@baton/api/client';
import type { JsonSchema } from '@baton/language';
import { isObject } from '@baton/primitives';

import type { Output } from '../output/output.ts';
import { oneLine, padEnd, widthOf, wrap } from '../output/text.ts';
import { startersOf } from './startersOf.ts';

/** The newest version, or an older one, which has no title and no state. */
export function drawWorkflow(shown: Workflow | WorkflowVersion, { paint, columns }: Output): string[] {
  const { id, version, source, inputs, deployedAt, deployedBy } = shown;
  const newest = 'createdAt' in shown ? shown : undefined;
  const width = columns() ?? 100;
  const title = newest?.title === undefined ? '' : `  ${oneLine(newest.title)}`;
  return [
    `${paint.bold(`${id}@${version}`)}${title}`,
    ...(newest?.description === undefined ? [] : wrap(oneLine(newest.description), width)),
    `${oneLine(deployedBy)} deployed it at ${deployedAt}.`,
    ...(newest?.pausedAt === undefined
      ? []
      : [paint.yellow(`Paused since ${newest.pausedAt}: no trigger starts it. Resume: baton workflows resume ${id}`)]),
    '',
    ...starterLines(id, source),
    '',
    ...inputLines(inputs, paint.dim),
  ];
}

function starterLines(id: string, source: string): string[] {
  const starters = startersOf(id, source);
  if (starters === undefined)
    return ['This version of the command cannot read its text, so what starts it is not known.'];
  if (starters.length === 0) return [`Nothing starts it by itself. Start it: baton run ${id}`];
  return ['What starts it:', ...starters.map((starter) => `  ${oneLine(starter)}`)];
}

function inputLines(schema: JsonSchema, dim: (text: string) => string): string[] {
  const properties = isObject(schema) && isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  if (properties.length === 0 || !isObject(schema)) return ['It takes no inputs.'];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const rows = properties.map(([name, input]) => {
    const details = isObject(input) ? input : {};
    return [oneLine(name), typeText(details), needText(details, required.includes(name)), textIn(details)] as const;
  });
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ''))));
  return [
    'Inputs:',
    ...rows.map(([name, type, need, about]) =>
      `  ${padEnd(name, widths[0] ?? 0)}  ${padEnd(type, widths[1] ?? 0)}  ${dim(padEnd(need, widths[2] ?? 0))}  ${about}`.trimEnd(),
    ),
  ];
}

function typeText({ type, enum: choices }: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(choices)) return oneLine(choices.map((choice) => JSON.stringify(choice)).join(' | '));
  if (Array.isArray(type)) return oneLine(type.join(' | '));
  return typeof type === 'string' ? oneLine(type) : 'any';
}

function needText(details: Readonly<Record<string, unknown>>, isRequired: boolean): string {
  const fallback = details['default'];
  if (fallback !== undefined) return oneLine(`default ${JSON.stringify(fallback)}`);
  return isRequired ? 'required' : 'optional';
}

const textIn = ({ description }: Readonly<Record<string, unknown>>): string =>
  typeof description === 'string' ? oneLine(description) : '';
