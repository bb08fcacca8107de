/** Walks the graph of a workflow of n8n, and writes it as nested steps. */
import type { Json } from '@baton/language';
import { interpolated } from '@baton/language';

import type { PathPart } from '../expression/celOf.ts';
import { joined } from '../expression/celOf.ts';
import { UnmappedError } from '../expression/syntax.ts';
import type { Import, StepDraft } from '../importing.ts';
import { textOf, wordOf } from '../json.ts';
import { StepIds, titled } from '../names.ts';
import { N8nConditions } from './n8nConditions.ts';
import type { N8nGraph } from './n8nGraph.ts';
import { draftOf } from './n8nNodes.ts';
import type { N8nStart } from './n8nTriggers.ts';
import type { N8nSight, ReadOutput } from './n8nValues.ts';
import type { N8nNode } from './readN8n.ts';

/** A block around a step, and which part of the block. */
interface Frame {
  readonly kind: 'case' | 'branch' | 'loop';
  readonly block: string;
  readonly part: number;
}

interface Base {
  readonly frames: readonly Frame[];
  readonly read: ReadOutput;
  /** It gives one item, and no list. */
  readonly isOne?: boolean;
}

interface StepsParts {
  readonly importing: Import;
  readonly nodes: ReadonlyMap<string, N8nNode>;
  readonly graph: N8nGraph;
  readonly starts: ReadonlyMap<string, N8nStart>;
}

/** A node that several cases lead to is written in each of them, at most this often. */
const copiesMost = 4;
const nestedMost = 12;
const gathering = new Set(['aggregate', 'summarize', 'itemLists']);

export class N8nSteps {
  readonly #importing: Import;
  readonly #nodes: ReadonlyMap<string, N8nNode>;
  readonly #graph: N8nGraph;
  readonly #bases = new Map<string, Base>();
  readonly #written = new Map<string, (readonly Frame[])[]>();
  readonly #ids = new StepIds();
  /** A node that is written twice has one id. */
  readonly #idsByNode = new Map<string, string>();
  readonly #before = new Map<string, string[]>();

  constructor({ importing, nodes, graph, starts }: StepsParts) {
    this.#importing = importing;
    this.#nodes = nodes;
    this.#graph = graph;
    for (const [name, { read }] of starts) this.#bases.set(name, { frames: [], read, isOne: true });
    for (const { name, outputs } of nodes.values())
      for (const to of outputs.flat()) this.#before.set(to, [...(this.#before.get(to) ?? []), name]);
  }

  all(roots: readonly string[]): StepDraft[] {
    const begun = roots.flatMap((root) => (this.#bases.has(root) ? this.#graph.forward(root).flat() : [root]));
    return this.#many([...new Set(begun)], undefined, []);
  }

  /** The steps from one node to another, which is left out. */
  #walk(first: string | undefined, stop: string | undefined, frames: readonly Frame[]): StepDraft[] {
    const steps: StepDraft[] = [];
    let at = first;
    while (at !== undefined && at !== stop) {
      const node = this.#nodes.get(at);
      if (node === undefined || !this.#mayWrite(node, frames)) break;
      this.#noteLoops(node);
      const { made, next } = this.#node(node, stop, frames);
      steps.push(...made);
      at = next;
    }
    return steps;
  }

  /** What follows an output: one node, or several beside each other. */
  #many(targets: readonly string[], stop: string | undefined, frames: readonly Frame[]): StepDraft[] {
    const begun = targets.filter((one) => one !== stop);
    if (begun.length <= 1) return this.#walk(begun[0], stop, frames);
    const meeting = this.#meeting(begun, stop);
    const block = `parallel ${begun.join()}`;
    const branches = begun
      .filter((one) => one !== meeting)
      .map((one, part) => this.#walk(one, meeting, [...frames, { kind: 'branch', block, part }]))
      .filter((steps) => steps.length > 0);
    const [only = []] = branches;
    const together: StepDraft[] =
      branches.length < 2
        ? only
        : [{ parallel: branches.map((steps) => (steps.length === 1 ? (steps[0] ?? {}) : { steps })) }];
    return meeting === stop ? together : [...together, ...this.#walk(meeting, stop, frames)];
  }

  /** Never beyond the end of the part that is being written. */
  #meeting(targets: readonly string[], stop: string | undefined): string | undefined {
    const found = this.#graph.meeting(targets);
    if (found === undefined || stop === undefined) return found ?? stop;
    return found === stop || this.#graph.after(stop).includes(found) ? stop : found;
  }

  #mayWrite({ name, pointer }: N8nNode, frames: readonly Frame[]): boolean {
    const places = this.#written.get(name) ?? [];
    const isApart = places.every((other) => other.some((frame) => isOtherCase(frame, frames)));
    if (isApart && places.length < copiesMost && frames.length <= nestedMost) {
      this.#written.set(name, [...places, frames]);
      return true;
    }
    const message = `Several ways lead to "${name}"; it follows the first of them here.`;
    this.#importing.note('differs', {
      pointer,
      message,
      hint: 'make what follows a workflow of its own, and run it from each',
    });
    return false;
  }

  #noteLoops(node: N8nNode): void {
    if (node.kind === 'splitInBatches') return;
    for (const to of node.outputs.flat()) {
      if (!this.#graph.isBack(node.name, to) || this.#nodes.get(to)?.kind === 'splitInBatches') continue;
      const message = `"${node.name}" goes back to "${to}"; here it goes on.`;
      this.#importing.note('differs', {
        pointer: node.pointer,
        message,
        hint: 'put the steps between them into a `repeat`',
      });
    }
  }

  #node(
    node: N8nNode,
    stop: string | undefined,
    frames: readonly Frame[],
  ): { made: StepDraft[]; next: string | undefined } {
    switch (node.kind) {
      case 'if':
      case 'filter':
      case 'switch':
        return this.#cases(node, stop, frames);
      case 'splitInBatches':
        return this.#batches(node, stop, frames);
      case 'splitOut':
        return this.#items(node, stop, frames);
      default:
        return this.#plain(node, stop, frames);
    }
  }

  #plain(
    node: N8nNode,
    stop: string | undefined,
    frames: readonly Frame[],
  ): { made: StepDraft[]; next: string | undefined } {
    const sight = this.#sight(node, frames);
    const drawn = gathering.has(node.kind)
      ? undefined
      : draftOf(node, { importing: this.#importing, sight, nodes: this.#nodes, takeId: (name) => this.#idOf(name) });
    const read = drawn?.read ?? this.#passedOn(node, sight);
    const isOne = drawn !== undefined && ('set' in drawn.step || 'sample' in drawn.step);
    this.#bases.set(node.name, { frames, read, isOne });
    const [main = [], failed = []] = this.#graph.forward(node.name);
    const own = drawn === undefined ? [] : [{ ...named(node, drawn.step), ...policies(node, drawn.step) }];
    const [step] = own;
    if (step !== undefined && failed.length > 0 && node.fields['onError'] === 'continueErrorOutput') {
      const meeting = this.#meeting([...main, ...failed], stop);
      const inside: Frame = { kind: 'case', block: node.name, part: 1 };
      const handler = this.#many(failed, meeting, [...frames, inside]);
      const handled = { ...step, onError: handler.length === 0 ? 'ignore' : handler };
      return this.#after([handled], main, stop, frames);
    }
    const outputs = this.#graph.forward(node.name);
    return outputs.filter((one) => one.length > 0).length > 1
      ? this.#sorted(node, own, outputs, stop, frames)
      : this.#after(own, outputs.flat(), stop, frames);
  }

  /** A node that sends items to several outputs by itself: which one is for the author to say. */
  #sorted(
    node: N8nNode,
    own: StepDraft[],
    outputs: readonly (readonly string[])[],
    stop: string | undefined,
    frames: readonly Frame[],
  ): { made: StepDraft[]; next: string | undefined } {
    const isAll = outputs.every((targets) => targets.length > 0);
    const meeting = isAll ? this.#meeting(outputs.flat(), stop) : stop;
    const cases = outputs.flatMap((targets, part): StepDraft[] => {
      const steps = this.#many(targets, meeting, [...frames, { kind: 'case', block: node.name, part }]);
      if (steps.length === 0) return [];
      const what = `output ${part + 1} of ${node.name}`;
      return [{ when: this.#importing.unmapped(what, node.pointer, 'the node sorts its items by itself'), steps }];
    });
    const made = cases.length === 0 ? own : [...own, { switch: cases }];
    return { made, next: meeting === stop ? undefined : meeting };
  }

  /** What an aggregate or a merge hands on. */
  #passedOn({ kind, parameters }: N8nNode, sight: N8nSight): ReadOutput {
    const field = textOf(parameters['destinationFieldName']) ?? 'data';
    if (kind === 'aggregate')
      return ([first, ...rest]) => (first === field ? joined(sight.input([]), rest) : sight.input([]));
    return (path) => sight.input(path);
  }

  #after(
    made: StepDraft[],
    targets: readonly string[],
    stop: string | undefined,
    frames: readonly Frame[],
  ): { made: StepDraft[]; next: string | undefined } {
    if (targets.length < 2) return { made, next: targets[0] };
    return { made: [...made, ...this.#many(targets, stop, frames)], next: undefined };
  }

  #cases(
    node: N8nNode,
    stop: string | undefined,
    frames: readonly Frame[],
  ): { made: StepDraft[]; next: string | undefined } {
    const sight = this.#sight(node, frames);
    this.#bases.set(node.name, { frames, read: (path) => sight.input(path) });
    const conditions = new N8nConditions(this.#importing, sight);
    const rules = node.kind === 'switch' ? conditions.ofSwitch(node) : [conditions.ofNode(node)];
    const outputs = this.#graph.forward(node.name);
    const parts = [...rules, undefined].map((_, i) => outputs[i] ?? []);
    // An output that leads nowhere ends the items that go there.
    const meeting = parts.every((targets) => targets.length > 0) ? this.#meeting(parts.flat(), stop) : stop;
    const inside = (part: number): Frame[] => [...frames, { kind: 'case', block: node.name, part }];
    const made = parts.map((targets, part) => this.#many(targets, meeting, inside(part)));
    const otherwise = made.at(-1) ?? [];
    const cases: StepDraft[] = rules.map((when, i) => ({ when, steps: made[i] ?? [] }));
    const [only] = cases;
    const next = meeting === stop ? undefined : meeting;
    if (cases.length === 1 && only !== undefined && (only['steps'] as Json[]).length === 0) {
      if (otherwise.length === 0) return { made: [], next };
      return { made: [{ switch: [{ when: `!(${wordOf(only['when'])})`, steps: otherwise }] }], next };
    }
    const all = [
      ...cases.filter(({ steps }) => (steps as Json[]).length > 0),
      ...(otherwise.length === 0 ? [] : [{ else: otherwise }]),
    ];
    if (all.length === 0) return { made: [], next };
    return { made: [{ ...titled(node.name, ''), switch: withEmpty(cases, otherwise) }], next };
  }

  /** A loop over batches: each item, one after the other. */
  #batches(
    node: N8nNode,
    stop: string | undefined,
    frames: readonly Frame[],
  ): { made: StepDraft[]; next: string | undefined } {
    const [first = [], second = []] = this.#graph.forward(node.name);
    const [done, body] = node.version >= 3 ? [first, second] : [second, first];
    const sight = this.#sight(node, frames);
    const list = this.#list(node, [], sight);
    const made = this.#loop(node, { list, body, end: undefined, isInOrder: true }, frames);
    return this.#after(made, done, stop, frames);
  }

  /** Items of a list, until they are gathered again. */
  #items(
    node: N8nNode,
    stop: string | undefined,
    frames: readonly Frame[],
  ): { made: StepDraft[]; next: string | undefined } {
    const sight = this.#sight(node, frames);
    const field = textOf(node.parameters['fieldToSplitOut']) ?? '';
    const path = field
      .replace(/^=/, '')
      .split('.')
      .filter((one) => one !== '');
    const list = this.#list(node, path, sight);
    const ways = this.#graph.after(node.name);
    const until = stop === undefined ? ways : ways.slice(0, Math.max(0, ways.indexOf(stop)));
    const end = until.find((one) => gathering.has(this.#nodes.get(one)?.kind ?? '')) ?? stop;
    const made = this.#loop(node, { list, body: this.#graph.forward(node.name).flat(), end, isInOrder: false }, frames);
    if (end !== undefined && end !== stop) this.#before.set(end, [node.name]);
    return { made, next: end === stop ? undefined : end };
  }

  /** What a loop goes through: one item where the node before gives one. */
  #list({ name, pointer }: N8nNode, path: readonly PathPart[], sight: N8nSight): string {
    try {
      const text = sight.input(path);
      const before = (this.#before.get(name) ?? []).every((one) => this.#bases.get(one)?.isOne === true);
      return path.length === 0 && before ? `[${text}]` : text;
    } catch (error) {
      if (!(error instanceof UnmappedError)) throw error;
      return this.#importing.unmapped(`the items of ${name}`, pointer, error.message);
    }
  }

  #loop(
    node: N8nNode,
    {
      list,
      body,
      end,
      isInOrder,
    }: { list: string; body: readonly string[]; end: string | undefined; isInOrder: boolean },
    frames: readonly Frame[],
  ): StepDraft[] {
    const depth = frames.filter(({ kind }) => kind === 'loop').length;
    const as = depth === 0 ? 'item' : `item${depth + 1}`;
    const id = this.#idOf(node.name);
    const inside: Frame[] = [...frames, { kind: 'loop', block: id, part: 0 }];
    this.#bases.set(node.name, { frames: inside, read: (path) => joined(as, path) });
    const steps = this.#many(body, end, inside);
    // After the loop its node gives what was collected.
    this.#bases.set(node.name, {
      frames,
      read: (path, isOptional) => {
        if (steps.length === 0) throw new UnmappedError(`nothing is done for the items of "${node.name}"`);
        if (typeof path[0] === 'string') throw new UnmappedError(`"${node.name}" gives a list of what its items gave`);
        return joined(isOptional ? `steps.?${id}.?output` : `steps.${id}.output`, path);
      },
    });
    if (steps.length === 0) return [];
    const last = steps.at(-1);
    const ended = last?.['id'];
    const hasOutput = typeof ended === 'string' && last !== undefined && !('if' in last);
    const collect = hasOutput ? { collect: interpolated(`steps.${ended}.output`) } : {};
    return [
      {
        id,
        ...titled(node.name, id),
        forEach: interpolated(list),
        as,
        ...(isInOrder ? { maxParallel: 1 } : {}),
        ...collect,
        steps,
      },
    ];
  }

  #idOf(name: string): string {
    const known = this.#idsByNode.get(name) ?? this.#ids.take(name, 'step');
    this.#idsByNode.set(name, known);
    return known;
  }

  #sight(node: N8nNode, frames: readonly Frame[]): N8nSight {
    return {
      input: (path) => {
        const known = (this.#before.get(node.name) ?? []).filter((one) => this.#bases.has(one));
        const near = known.find((one) => (this.#bases.get(one)?.frames ?? []).every((frame) => frames.includes(frame)));
        const [first = near] = known;
        const from = near ?? first;
        if (from === undefined) throw new UnmappedError('nothing comes in there');
        return this.#read(from, path, frames);
      },
      node: (name, path) => this.#read(name, path, frames),
      isInLoop: frames.some(({ kind }) => kind === 'loop'),
    };
  }

  #read(name: string, path: readonly PathPart[], frames: readonly Frame[]): string {
    const base = this.#bases.get(name);
    if (base === undefined) throw new UnmappedError(`"${name}" has not run there`);
    const beyond = base.frames.filter((frame) => !frames.includes(frame));
    if (beyond.some(({ kind }) => kind === 'loop')) throw new UnmappedError(`"${name}" runs for each item of a loop`);
    if (beyond.some((frame) => frame.kind === 'branch' && isOtherPart(frame, frames)))
      throw new UnmappedError(`"${name}" runs beside it`);
    if (beyond.some((frame) => isOtherCase(frame, frames))) throw new UnmappedError(`"${name}" runs in another case`);
    return base.read(
      path,
      beyond.some(({ kind }) => kind === 'case'),
    );
  }
}

const isOtherPart = ({ block, part }: Frame, frames: readonly Frame[]): boolean =>
  frames.some((one) => one.block === block && one.part !== part);

const isOtherCase = (frame: Frame, frames: readonly Frame[]): boolean =>
  frame.kind === 'case' && isOtherPart(frame, frames);

/** A case that does nothing keeps the others from running. */
function withEmpty(cases: readonly StepDraft[], otherwise: readonly StepDraft[]): StepDraft[] {
  const kept = cases.map((one) =>
    (one['steps'] as Json[]).length > 0 ? one : { ...one, steps: [{ set: { done: true } }] },
  );
  return [...kept, ...(otherwise.length === 0 ? [] : [{ else: [...otherwise] }])];
}

const named = ({ name }: N8nNode, step: StepDraft): StepDraft => {
  const { id, ...rest } = step;
  return { ...(id === undefined ? {} : { id }), ...titled(name, wordOf(id)), ...rest };
};

/** Retries, and what a failure does. */
function policies({ fields }: N8nNode, step: StepDraft): StepDraft {
  const goesOn = fields['continueOnFail'] === true || fields['onError'] === 'continueRegularOutput';
  const attempts = Math.min(20, Number(fields['maxTries'] ?? 3));
  const delay = `${Number(fields['waitBetweenTries'] ?? 1_000)}ms`;
  const retries = fields['retryOnFail'] === true && ('tool' in step || 'sample' in step);
  return {
    ...(retries ? { retry: { attempts, backoff: 'fixed', delay } } : {}),
    ...(goesOn ? { onError: 'ignore' } : {}),
  };
}
