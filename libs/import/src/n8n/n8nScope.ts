/** Records the output of each node, and resolves which outputs a place in the workflow can read. */
import type { PathPart } from '../expression/celOf.ts';
import { UnmappedError } from '../expression/syntax.ts';
import type { N8nGraph } from './n8nGraph.ts';
import type { N8nStart } from './n8nTriggers.ts';
import type { N8nNames, ReadOutput } from './n8nValues.ts';
import type { N8nWorkflow } from './readN8n.ts';

/** A block around a step, and the part of the block. */
export interface BlockPart {
  readonly kind: 'case' | 'branch' | 'loop';
  readonly block: string;
  readonly part: number;
}

interface NodeOutput {
  /** The blocks around the step that gives the output. */
  readonly frames: readonly BlockPart[];
  readonly read: ReadOutput;
  /** The output is one item, not a list. */
  readonly isOne?: boolean;
}

interface ScopeParts {
  readonly graph: N8nGraph;
  readonly starts: ReadonlyMap<string, N8nStart>;
  readonly workflow: N8nWorkflow;
}

export class N8nScope {
  readonly #outputs = new Map<string, NodeOutput>();
  /** The nodes that lead to a node, by its name. */
  readonly #before = new Map<string, readonly string[]>();

  readonly #workflow: N8nWorkflow;

  constructor({ graph, starts, workflow }: ScopeParts) {
    this.#workflow = workflow;
    for (const [name, { read }] of starts) this.give(name, { frames: [], read, isOne: true });
    for (const [from, to] of graph.edges()) this.lead(to, [...this.#from(to), from]);
  }

  give(name: string, output: NodeOutput): void {
    this.#outputs.set(name, output);
  }

  /** Records which nodes feed a node. */
  lead(name: string, from: readonly string[]): void {
    this.#before.set(name, from);
  }

  has(name: string): boolean {
    return this.#outputs.has(name);
  }

  getsOne(name: string): boolean {
    return this.#from(name).every((one) => this.givesOne(one));
  }

  givesOne(name: string): boolean {
    return this.#outputs.get(name)?.isOne === true;
  }

  /** The nodes before it that have run. */
  givenBy(name: string): readonly string[] {
    return this.#from(name).filter((one) => this.has(one));
  }

  names(node: string, frames: readonly BlockPart[]): N8nNames {
    return {
      input: (path) => {
        const known = this.#from(node).filter((one) => this.has(one));
        const isAround = (one: string): boolean =>
          this.#outputs.get(one)?.frames.every((frame) => frames.includes(frame)) === true;
        const from = known.find(isAround) ?? known[0];
        if (from === undefined) throw new UnmappedError('no node leads to it');
        return this.#read(from, path, frames);
      },
      node: (name, path) => this.#read(name, path, frames),
      isInLoop: frames.some(({ kind }) => kind === 'loop'),
      workflow: this.#workflow,
    };
  }

  #from(name: string): readonly string[] {
    return this.#before.get(name) ?? [];
  }

  #read(name: string, path: readonly PathPart[], frames: readonly BlockPart[]): string {
    const output = this.#outputs.get(name);
    if (output === undefined) throw new UnmappedError(`"${name}" has not run before it`);
    const beyond = output.frames.filter((frame) => !frames.includes(frame));
    if (beyond.some(({ kind }) => kind === 'loop')) throw new UnmappedError(`"${name}" runs for each item of a loop`);
    if (beyond.some((frame) => frame.kind === 'branch' && isOtherPart(frame, frames)))
      throw new UnmappedError(`"${name}" runs in parallel to it`);
    if (beyond.some((frame) => isOtherCase(frame, frames)))
      throw new UnmappedError(`"${name}" runs in another case of a switch`);
    return output.read(
      path,
      beyond.some(({ kind }) => kind === 'case'),
    );
  }
}

const isOtherPart = ({ block, part }: BlockPart, frames: readonly BlockPart[]): boolean =>
  frames.some((one) => one.block === block && one.part !== part);

export const isOtherCase = (frame: BlockPart, frames: readonly BlockPart[]): boolean =>
  frame.kind === 'case' && isOtherPart(frame, frames);
