/** Declarations and uses of steps, inputs and workflows. */
import { type ExpressionNode, childrenOf, childOf, type Span } from '@baton/expressions';
import { type StepLocation, indexSteps } from '@baton/language';
import { isObject } from '@baton/primitives';

import { parseWhole } from '../reading/expressionPart.ts';
import type { TextReading } from '../reading/reading.ts';
import { stepReferences, targetOf } from './stepReferences.ts';

export type NamedThing =
  | { readonly kind: 'step'; readonly name: string; readonly step: StepLocation }
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'workflow'; readonly name: string };

export interface Occurrence {
  readonly span: Span;
  readonly isDeclaration: boolean;
  /** Inside an expression: after a dot, or between brackets and quotes. */
  readonly access?: 'dot' | 'brackets';
}

const stepsOf = ({ draft }: TextReading): readonly StepLocation[] =>
  draft === undefined ? [] : indexSteps(draft.workflow).all;

/** The name under the cursor. */
export function namedAt(reading: TextReading, offset: number): NamedThing | undefined {
  const all = stepsOf(reading);
  const things: NamedThing[] = [
    ...all.flatMap((step): NamedThing[] =>
      step.step.id === undefined ? [] : [{ kind: 'step', name: step.step.id, step }],
    ),
    ...inputNames(reading).map((name): NamedThing => ({ kind: 'input', name })),
    ...workflowNames(reading).map((name): NamedThing => ({ kind: 'workflow', name })),
  ];
  return things.find((one) => occurrences(reading, one).some(({ span }) => offset >= span[0] && offset <= span[1]));
}

/** In the order of the file. */
export function occurrences(reading: TextReading, thing: NamedThing): Occurrence[] {
  return unordered(reading, thing).toSorted((a, b) => a.span[0] - b.span[0]);
}

function unordered(reading: TextReading, thing: NamedThing): Occurrence[] {
  if (thing.kind === 'step') return ofStep(reading, thing);
  return thing.kind === 'input' ? ofInput(reading, thing.name) : ofWorkflow(reading, thing.name);
}

/** The text without its quotes. */
function textSpan({ document }: TextReading, pointer: string, at: 'key' | 'value'): Span {
  const [start, end] = document.spanOf({ code: 'assumed', message: '', pointer, at });
  const isQuoted = /["']/.test(document.source.text.charAt(start));
  return isQuoted ? [start + 1, end - 1] : [start, end];
}

function ofStep(reading: TextReading, { name, step }: Extract<NamedThing, { kind: 'step' }>): Occurrence[] {
  const { draft, scopes, document } = reading;
  if (draft === undefined) return [];
  const all = stepsOf(reading);
  const written = (pointer: string): string => draft.written(pointer);
  const read = stepReferences(scopes, all)
    .filter(({ target }) => target.pointer === step.pointer)
    .map(({ pointer, within, access }): Occurrence => {
      const span = document.spanOf({ code: 'assumed', message: '', pointer: written(pointer), within });
      return { span, isDeclaration: false, access };
    });
  const needed = all.flatMap((one) =>
    (one.step.needs ?? []).flatMap((id, i): Occurrence[] => {
      const isMeant = id === name && targetOf(id, one.pointer, all)?.pointer === step.pointer;
      return isMeant
        ? [{ span: textSpan(reading, written(`${one.pointer}/needs/${i}`), 'value'), isDeclaration: false }]
        : [];
    }),
  );
  return [{ span: textSpan(reading, written(`${step.pointer}/id`), 'value'), isDeclaration: true }, ...read, ...needed];
}

function inputNames({ document }: TextReading): string[] {
  const { value } = document;
  const inputs = isObject(value) ? value['inputs'] : undefined;
  if (!isObject(inputs)) return [];
  const { properties, type } = inputs;
  return Object.keys(type === 'object' && isObject(properties) ? properties : inputs);
}

function ofInput(reading: TextReading, name: string): Occurrence[] {
  const { document, draft, scopes } = reading;
  const { value } = document;
  const inputs = isObject(value) ? value['inputs'] : undefined;
  const isWhole = isObject(inputs) && inputs['type'] === 'object';
  const declared = childOf(isWhole ? '/inputs/properties' : '/inputs', name);
  const triggers = isObject(value) && Array.isArray(value['on']) ? (value['on'] as readonly unknown[]) : [];
  const given = triggers.flatMap((one, i): Occurrence[] => {
    const has = isObject(one) && isObject(one['inputs']) && Object.hasOwn(one['inputs'], name);
    return has ? [{ span: textSpan(reading, childOf(`/on/${i}/inputs`, name), 'key'), isDeclaration: false }] : [];
  });
  const read = [...(scopes?.expressions ?? [])].flatMap(([pointer, sites]) =>
    sites.flatMap(({ seen }) =>
      accessesOf(seen.source, name).map(({ within, access }): Occurrence => {
        const at: Span = [seen.offset + within[0], seen.offset + within[1]];
        const place = draft === undefined ? pointer : draft.written(pointer);
        return {
          span: document.spanOf({ code: 'assumed', message: '', pointer: place, within: at }),
          isDeclaration: false,
          access,
        };
      }),
    ),
  );
  return [{ span: textSpan(reading, declared, 'key'), isDeclaration: true }, ...given, ...read];
}

interface InputAccess {
  readonly within: Span;
  readonly access: 'dot' | 'brackets';
}

/** `inputs.name`, `inputs["name"]`. */
function accessesOf(source: string, name: string): InputAccess[] {
  const tree = source.includes(name) ? parseWhole(source) : undefined;
  return tree === undefined ? [] : accessesIn(tree, source, name);
}

function accessesIn(node: ExpressionNode, source: string, name: string): InputAccess[] {
  const own = keyAccess(node);
  const isOwn = own?.of.op === 'id' && own.of.args === 'inputs' && own.key === name;
  const at = isOwn ? source.lastIndexOf(name, node.end - 1) : -1;
  const found: InputAccess[] = isOwn ? [{ within: [at, at + name.length], access: own.access }] : [];
  return [...found, ...childrenOf(node).flatMap((one) => accessesIn(one, source, name))];
}

function keyAccess(
  node: ExpressionNode,
): { readonly of: ExpressionNode; readonly key: unknown; readonly access: 'dot' | 'brackets' } | undefined {
  if (node.op === '.' || node.op === '.?') return { of: node.args[0], key: node.args[1], access: 'dot' };
  if (node.op !== '[]' && node.op !== '[?]') return undefined;
  const [of, key] = node.args;
  return key.op === 'value' ? { of, key: key.args, access: 'brackets' } : undefined;
}

function workflowNames(reading: TextReading): string[] {
  const { value } = reading.document;
  const own = isObject(value) && typeof value['workflow'] === 'string' ? [value['workflow']] : [];
  const called = stepsOf(reading).flatMap(({ step }) =>
    'workflow' in step ? [step.workflow.split('@')[0] ?? ''] : [],
  );
  return [...new Set([...own, ...called])];
}

/** In this file; others may call it too. */
function ofWorkflow(reading: TextReading, name: string): Occurrence[] {
  const { document, draft } = reading;
  const isOwn = isObject(document.value) && document.value['workflow'] === name;
  const own: Occurrence[] = isOwn ? [{ span: textSpan(reading, '/workflow', 'value'), isDeclaration: true }] : [];
  const called = stepsOf(reading).flatMap(({ step, pointer }): Occurrence[] => {
    if (!('workflow' in step) || step.workflow.split('@')[0] !== name) return [];
    const place = `${draft?.written(pointer) ?? pointer}/workflow`;
    const [start] = textSpan(reading, place, 'value');
    return [{ span: [start, start + name.length], isDeclaration: false }];
  });
  return [...own, ...called];
}
