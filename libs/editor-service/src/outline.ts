/** The outline of the file, and its foldable ranges. */
import type { Span } from '@baton/expressions';
import { type PlacedStep, innerLists, placed, readsOf, type StepDocument, verbOf } from '@baton/language';

import type { TextReading } from './reading/reading.ts';

export interface OutlineEntry {
  readonly name: string;
  readonly detail: string;
  readonly kind: 'workflow' | 'step' | 'input' | 'trigger' | 'section';
  readonly span: Span;
  /** Of its name. */
  readonly selection: Span;
  readonly children: readonly OutlineEntry[];
}

const sections = ['on', 'inputs', 'steps', 'ensure', 'onFailure', 'finally', 'outputs'] as const;

export function symbols(reading: TextReading): OutlineEntry[] {
  const { draft } = reading;
  if (draft === undefined) return [];
  const { workflow } = draft;
  return sections.flatMap((section): OutlineEntry[] => {
    if (workflow[section] === undefined) return [];
    const pointer = `/${section}`;
    return [
      {
        name: section,
        detail: '',
        kind: 'section',
        ...placeOf(reading, pointer, 'key'),
        children: inSection(reading, section),
      },
    ];
  });
}

function inSection(reading: TextReading, section: (typeof sections)[number]): OutlineEntry[] {
  const workflow = reading.draft?.workflow;
  if (workflow === undefined) return [];
  if (section === 'on')
    return (workflow.on ?? []).map((trigger, i) => {
      const [kind = 'trigger', value] = Object.entries(trigger)[0] ?? [];
      const detail = typeof value === 'string' ? value : '';
      return { name: kind, detail, kind: 'trigger', ...placeOf(reading, `/on/${i}`, 'value'), children: [] };
    });
  if (section === 'inputs' || section === 'outputs')
    return Object.keys(workflow[section] ?? {}).map((name) => ({
      name,
      detail: '',
      kind: 'input',
      ...placeOf(reading, `/${section}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, 'key'),
      children: [],
    }));
  const pointer = `/${section}`;
  const steps =
    section === 'ensure' ? readsOf(workflow.ensure ?? [], pointer) : placed(workflow[section] ?? [], pointer);
  return steps.map((one) => stepEntry(reading, one));
}

function stepEntry(reading: TextReading, { step, pointer }: PlacedStep): OutlineEntry {
  const verb = verbOf(step);
  const children = innerLists(step, pointer).flatMap(({ steps }) => steps.map((one) => stepEntry(reading, one)));
  const target = (step as StepDocument & Readonly<Record<string, unknown>>)[verb];
  const detail = typeof target === 'string' ? `${verb} ${target.slice(0, 80)}` : verb;
  const written = reading.draft?.written(pointer) ?? pointer;
  return { name: step.id ?? step.title ?? verb, detail, kind: 'step', ...placeOf(reading, written, 'value'), children };
}

function placeOf(
  { document }: TextReading,
  pointer: string,
  at: 'key' | 'value',
): Pick<OutlineEntry, 'span' | 'selection'> {
  const selection = document.spanOf({ code: 'assumed', message: '', pointer, at });
  const [start, end] = document.extentOf(pointer);
  const { text } = document.source;
  const last = start + text.slice(start, end).trimEnd().length;
  return { span: [Math.min(start, selection[0]), Math.max(last, selection[1])], selection };
}

/** Maps, lists and texts of more than one line, with the key before them. */
export const folding = ({ document }: TextReading): Span[] =>
  document.layout().extents.flatMap(([start, end]): Span[] => {
    const text = document.source.text.slice(start, end).trimEnd();
    return text.includes('\n') ? [[start, start + text.length]] : [];
  });
