/** Walks the graph of a workflow of n8n, and writes nested steps. */
import { type PathPart, joined } from '../expression/celOf.ts';
import { UnmappedError } from '../expression/syntax.ts';
import type { Import, StepDraft } from '../importing.ts';
import { textOf, wordOf } from '../json.ts';
import { StepIds, titled } from '../stepIds.ts';
import { loopOf, policiesOf, switchOf } from './n8nBlocks.ts';
import { N8nConditions } from './n8nConditions.ts';
import type { N8nGraph } from './n8nGraph.ts';
import { noteParameters } from './n8nKeys.ts';
import { draftOf } from './n8nNodes.ts';
import { type BlockPart, isOtherCase, N8nScope } from './n8nScope.ts';
import type { N8nStart } from './n8nTriggers.ts';
import type { N8nNames, ReadOutput } from './n8nValues.ts';
import type { N8nNode, N8nWorkflow } from './readN8n.ts';

/** Where steps are written: the enclosing blocks, and the node before which the part ends. */
interface BlockPlace {
  readonly frames: readonly BlockPart[];
  readonly stop: string | undefined;
}

interface WrittenSteps {
  readonly written: StepDraft[];
  /** The next node. */
  readonly next: string | undefined;
}

interface StepsParts {
  readonly importing: Import;
  readonly workflow: N8nWorkflow;
  readonly graph: N8nGraph;
  readonly starts: ReadonlyMap<string, N8nStart>;
}

/** Limit of copies: a node that several cases lead to is written in each of them. */
const copiesMax = 4;
const nestedMax = 12;
const gathering = new Set(['aggregate', 'summarize', 'itemLists']);
/** These take the items together. */
const takesLists = new Set([...gathering, 'splitInBatches', 'splitOut', 'merge', 'limit', 'code', 'noOp']);
const blocks = new Set(['if', 'filter', 'switch', 'splitInBatches', 'splitOut']);

export class N8nSteps {
  readonly #importing: Import;
  readonly #nodes: ReadonlyMap<string, N8nNode>;
  readonly #graph: N8nGraph;
  readonly #scope: N8nScope;
  readonly #written = new Map<string, (readonly BlockPart[])[]>();
  readonly #ids = new StepIds();
  /** All copies of a node have the same id. */
  readonly #idsByNode = new Map<string, string>();

  constructor({ importing, workflow, graph, starts }: StepsParts) {
    this.#importing = importing;
    this.#nodes = workflow.nodes;
    this.#graph = graph;
    this.#scope = new N8nScope({ graph, starts, workflow });
  }

  all(roots: readonly string[]): StepDraft[] {
    const begun = roots.flatMap((root) => (this.#scope.has(root) ? this.#graph.forward(root).flat() : [root]));
    return this.#many([...new Set(begun)], { frames: [], stop: undefined });
  }

  /** The steps from one node to the end of the part. */
  #walk(first: string | undefined, place: BlockPlace): StepDraft[] {
    const steps: StepDraft[] = [];
    let at = first;
    while (at !== undefined && at !== place.stop) {
      const node = this.#nodes.get(at);
      if (node === undefined || !this.#mayWrite(node, place)) break;
      this.#noteLoops(node);
      const { written, next } = this.#node(node, place);
      steps.push(...written);
      at = next;
    }
    return steps;
  }

  /** The steps after an output: those of one node, or several in parallel. */
  #many(targets: readonly string[], place: BlockPlace): StepDraft[] {
    const { frames, stop } = place;
    const begun = targets.filter((one) => one !== stop);
    if (begun.length <= 1) return this.#walk(begun[0], place);
    const meeting = this.#meeting(begun, stop);
    const block = `parallel ${begun.join()}`;
    const branches = begun
      .filter((one) => one !== meeting)
      .map((one, part) => this.#walk(one, { frames: [...frames, { kind: 'branch', block, part }], stop: meeting }))
      .filter((steps) => steps.length > 0);
    const [only = []] = branches;
    const together: StepDraft[] =
      branches.length < 2
        ? only
        : // n8n ends one branch before it begins the next.
          [{ parallel: branches.map((steps) => (steps.length === 1 ? (steps[0] ?? {}) : { steps })), maxParallel: 1 }];
    return meeting === stop ? together : [...together, ...this.#walk(meeting, place)];
  }

  /** Where the targets meet, but not beyond the end of the part. */
  #meeting(targets: readonly string[], stop: string | undefined): string | undefined {
    const found = this.#graph.meeting(targets);
    if (found === undefined || stop === undefined) return found ?? stop;
    return found === stop || this.#graph.after(stop).includes(found) ? stop : found;
  }

  #mayWrite({ name, pointer }: N8nNode, { frames }: BlockPlace): boolean {
    const places = this.#written.get(name) ?? [];
    const isApart = places.every((other) => other.some((frame) => isOtherCase(frame, frames)));
    if (isApart && places.length < copiesMax && frames.length <= nestedMax) {
      this.#written.set(name, [...places, frames]);
      return true;
    }
    const message = `Several branches lead to "${name}". The imported workflow runs it only after the first of them.`;
    const hint = 'move the steps from there on into another workflow, and run it from each branch';
    this.#importing.note('differs', { pointer, message, hint });
    return false;
  }

  #noteLoops({ name, kind, pointer, outputs }: N8nNode): void {
    if (kind === 'splitInBatches') return;
    for (const to of outputs.flat()) {
      if (!this.#graph.isBack(name, to) || this.#nodes.get(to)?.kind === 'splitInBatches') continue;
      const message = `"${name}" leads back to "${to}". The imported workflow does not repeat the steps in between.`;
      this.#importing.note('differs', { pointer, message, hint: 'put these steps into a `repeat`' });
    }
  }

  #node(node: N8nNode, place: BlockPlace): WrittenSteps {
    if (blocks.has(node.kind)) {
      this.#noteItems(node, place);
      noteParameters(this.#importing, node);
    }
    switch (node.kind) {
      case 'if':
      case 'filter':
      case 'switch':
        return this.#cases(node, place);
      case 'splitInBatches':
        return this.#batches(node, place);
      case 'splitOut':
        return this.#items(node, place);
      default:
        return this.#plain(node, place);
    }
  }

  #plain(node: N8nNode, place: BlockPlace): WrittenSteps {
    const { name } = node;
    const names = this.#scope.names(name, place.frames);
    this.#noteItems(node, place);
    if (gathering.has(node.kind)) this.#noteGathering(node);
    const draft = gathering.has(node.kind)
      ? undefined
      : draftOf(node, { importing: this.#importing, names, nodes: this.#nodes, takeId: (one) => this.#idOf(one) });
    const read = draft?.read ?? passedOn(node, names);
    const isPassedOn = draft?.read === undefined && !gathering.has(node.kind);
    const makesOne = draft !== undefined && ('set' in draft.step || 'sample' in draft.step);
    const isOne = makesOne || gathering.has(node.kind) || (isPassedOn && this.#scope.getsOne(name));
    this.#scope.give(name, { frames: place.frames, read, isOne });
    const step = draft && { ...named(node, draft.step), ...policiesOf(node, draft.step) };
    const outputs = this.#graph.forward(name);
    const [main = [], failed = []] = outputs;
    if (step !== undefined && failed.length > 0 && node.fields['onError'] === 'continueErrorOutput') {
      const stop = this.#meeting([...main, ...failed], place.stop);
      const handler = this.#many(failed, { frames: [...place.frames, { kind: 'case', block: name, part: 1 }], stop });
      return this.#after([{ ...step, onError: handler.length === 0 ? 'ignore' : handler }], main, place);
    }
    const own = step === undefined ? [] : [step];
    return outputs.filter((one) => one.length > 0).length > 1
      ? this.#sorted(node, own, place)
      : this.#after(own, outputs.flat(), place);
  }

  /** n8n runs a node for each item of a list that it gets, where the file does not say that there is one. */
  #noteItems({ name, fields, pointer, kind }: N8nNode, { frames }: BlockPlace): void {
    const isOnce = fields['executeOnce'] === true || takesLists.has(kind) || frames.some((one) => one.kind === 'loop');
    const before = isOnce ? undefined : this.#scope.givenBy(name).find((one) => !this.#scope.givesOne(one));
    if (before === undefined) return;
    const message = `n8n runs a node once for each item of the node before it. Here "${name}" runs once, with the whole answer of "${before}".`;
    const hint = 'where that is a list, put the steps into a `forEach`';
    this.#importing.noteOnce('differs', { pointer, message, hint }, 'items');
  }

  #noteGathering({ name, kind, parameters, pointer }: N8nNode): void {
    if (kind === 'aggregate' && parameters['aggregate'] === 'aggregateAllItemData') return;
    const message = `"${name}" (${kind}) makes something of the items. Here the steps after it read what the steps before it gave.`;
    this.#importing.note('differs', { pointer, message, hint: 'write it as an expression: map, filter, sum, groupBy' });
  }

  /** A node that chooses the output of each item itself: the author must write the conditions. */
  #sorted({ name, pointer }: N8nNode, own: StepDraft[], place: BlockPlace): WrittenSteps {
    const { bodies, next } = this.#parts(name, this.#graph.forward(name), place);
    const cases = bodies.flatMap((steps, part): StepDraft[] => {
      if (steps.length === 0) return [];
      const what = `output ${part + 1} of ${name}`;
      return [
        { when: this.#importing.unmapped(what, pointer, 'the node itself chooses the output of each item'), steps },
      ];
    });
    return { written: cases.length === 0 ? own : [...own, { switch: cases }], next };
  }

  /** Writes each output as a case, up to the node where they meet. */
  #parts(
    block: string,
    outputs: readonly (readonly string[])[],
    { frames, stop }: BlockPlace,
  ): { readonly bodies: StepDraft[][]; readonly next: string | undefined } {
    // An output that leads nowhere ends the items that go there.
    const meeting = outputs.every((targets) => targets.length > 0) ? this.#meeting(outputs.flat(), stop) : stop;
    const bodies = outputs.map((targets, part) =>
      this.#many(targets, { frames: [...frames, { kind: 'case', block, part }], stop: meeting }),
    );
    return { bodies, next: meeting === stop ? undefined : meeting };
  }

  #after(written: StepDraft[], targets: readonly string[], place: BlockPlace): WrittenSteps {
    if (targets.length < 2) return { written, next: targets[0] };
    return { written: [...written, ...this.#many(targets, place)], next: undefined };
  }

  #cases(node: N8nNode, place: BlockPlace): WrittenSteps {
    const { name, kind } = node;
    const names = this.#scope.names(name, place.frames);
    this.#scope.give(name, { frames: place.frames, read: names.input, isOne: this.#scope.getsOne(name) });
    const conditions = new N8nConditions(this.#importing, names);
    const rules = kind === 'switch' ? conditions.ofSwitch(node) : [conditions.ofNode(node)];
    const outputs = this.#graph.forward(name);
    const { bodies, next } = this.#parts(
      name,
      [...rules, 'else'].map((_, i) => outputs[i] ?? []),
      place,
    );
    return { written: switchOf(name, rules, bodies), next };
  }

  /** A loop over batches: handles the items one after the other. */
  #batches(node: N8nNode, place: BlockPlace): WrittenSteps {
    const size = Number(node.parameters['batchSize'] ?? (node.version >= 3 ? 1 : 10));
    if (size > 1) {
      const message = `"${node.name}" handles ${size} items in a round; here each round has one.`;
      this.#importing.note('differs', { pointer: node.pointer, message });
    }
    const [first = [], second = []] = this.#graph.forward(node.name);
    const [done, body] = node.version >= 3 ? [first, second] : [second, first];
    const written = this.#loop(node, [], body, { frames: place.frames, stop: undefined }, true);
    return this.#after(written, done, place);
  }

  /** A loop over the items of a list, up to the node that gathers them. */
  #items(node: N8nNode, { frames, stop }: BlockPlace): WrittenSteps {
    const { name, parameters } = node;
    const field = textOf(parameters['fieldToSplitOut']) ?? '';
    const path = field
      .replace(/^=/, '')
      .split('.')
      .filter((one) => one !== '');
    const ways = this.#graph.after(name);
    const until = stop === undefined ? ways : ways.slice(0, Math.max(0, ways.indexOf(stop)));
    const end = until.find((one) => gathering.has(this.#nodes.get(one)?.kind ?? '')) ?? stop;
    const written = this.#loop(node, path, this.#graph.forward(name).flat(), { frames, stop: end }, false);
    if (end === undefined || end === stop) return { written, next: undefined };
    this.#scope.lead(end, [name]);
    return { written, next: end };
  }

  /** `inside.stop`: the node that ends the loop. */
  #loop(
    { name, pointer }: N8nNode,
    path: readonly PathPart[],
    body: readonly string[],
    { frames, stop }: BlockPlace,
    isInOrder: boolean,
  ): StepDraft[] {
    const list = this.#list(name, pointer, path, frames);
    const depth = frames.filter(({ kind }) => kind === 'loop').length;
    const as = depth === 0 ? 'item' : `item${depth + 1}`;
    const id = this.#idOf(name);
    const inside: BlockPart[] = [...frames, { kind: 'loop', block: id, part: 0 }];
    this.#scope.give(name, { frames: inside, read: (of) => joined(as, of) });
    const steps = this.#many(body, { frames: inside, stop });
    // After the loop, the output of its node is the collected list.
    this.#scope.give(name, {
      frames,
      read: (of, isOptional) => {
        if (steps.length === 0) throw new UnmappedError(`nothing is done for the items of "${name}"`);
        if (typeof of[0] === 'string') throw new UnmappedError(`"${name}" gives a list: one value for each item`);
        return joined(isOptional ? `steps.?${id}.?output` : `steps.${id}.output`, of);
      },
    });
    return steps.length === 0 ? [] : [loopOf(name, { id, list, as, isInOrder, steps })];
  }

  /** The list of a loop; a list of one if the previous node gives a single item. */
  #list(name: string, pointer: string, path: readonly PathPart[], frames: readonly BlockPart[]): string {
    try {
      const text = this.#scope.names(name, frames).input(path);
      return path.length === 0 && this.#scope.getsOne(name) ? `[${text}]` : text;
    } catch (error) {
      if (!(error instanceof UnmappedError)) throw error;
      return this.#importing.unmapped(`the items of ${name}`, pointer, error.message);
    }
  }

  #idOf(name: string): string {
    const id = this.#idsByNode.get(name) ?? this.#ids.take(name, 'step');
    this.#idsByNode.set(name, id);
    return id;
  }
}

/** The output of an aggregate or merge node. */
function passedOn({ kind, parameters }: N8nNode, { input }: N8nNames): ReadOutput {
  if (kind !== 'aggregate') return input;
  const field = textOf(parameters['destinationFieldName']) ?? 'data';
  return ([first, ...rest]) => (first === field ? joined(input([]), rest) : input([]));
}

const named = ({ name }: N8nNode, { id, ...rest }: StepDraft): StepDraft => ({
  ...(id === undefined ? {} : { id }),
  ...titled(name, wordOf(id)),
  ...rest,
});
