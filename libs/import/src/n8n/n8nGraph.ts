/** Analyses the graph of nodes: finds back edges, and where branches meet again. */
import type { N8nNode } from './readN8n.ts';

export class N8nGraph {
  readonly #nodes: ReadonlyMap<string, N8nNode>;
  readonly #back = new Set<string>();
  /** In the order in which a depth-first walk leaves them. */
  readonly #left: string[] = [];
  /** By node: the nodes on every path to the end, including itself (post-dominators). */
  readonly #through = new Map<string, ReadonlySet<string>>();

  constructor(nodes: ReadonlyMap<string, N8nNode>, roots: readonly string[]) {
    this.#nodes = nodes;
    const seen = new Set<string>();
    for (const root of roots) this.#walk(root, seen);
    for (const name of this.#left) {
      const after = this.#targetsOf(name).map((to) => this.#through.get(to) ?? new Set<string>());
      this.#through.set(name, new Set([...intersection(after), name]));
    }
  }

  has(name: string): boolean {
    return this.#through.has(name);
  }

  isBack(from: string, to: string): boolean {
    return this.#back.has(edge(from, to));
  }

  /** The next nodes by output, without back edges. */
  forward(name: string): readonly (readonly string[])[] {
    const { outputs = [] } = this.#nodes.get(name) ?? {};
    return outputs.map((targets) => targets.filter((to) => this.#nodes.has(to) && !this.isBack(name, to)));
  }

  /** All edges without back edges, so that a node never reads itself. */
  edges(): readonly (readonly [from: string, to: string])[] {
    return [...this.#nodes.keys()].flatMap((from) => this.#targetsOf(from).map((to) => [from, to] as const));
  }

  /** The first node on every path from all of these nodes; undefined: they meet only at the end. */
  meeting(names: readonly string[]): string | undefined {
    const common = intersection(names.map((name) => this.#through.get(name) ?? new Set<string>()));
    return [...common].toSorted((a, b) => this.#size(b) - this.#size(a))[0];
  }

  /** The nodes on every path from a node, nearest first, without itself. */
  after(name: string): readonly string[] {
    return [...(this.#through.get(name) ?? [])]
      .filter((one) => one !== name)
      .toSorted((a, b) => this.#size(b) - this.#size(a));
  }

  #size(name: string): number {
    return this.#through.get(name)?.size ?? 0;
  }

  #targetsOf = (name: string): readonly string[] => this.forward(name).flat();

  /** Depth first, without recursion: a chain of nodes may be long. */
  #walk(root: string, seen: Set<string>): void {
    if (seen.has(root) || !this.#nodes.has(root)) return;
    const open = new Set<string>([root]);
    seen.add(root);
    const stack = [{ name: root, next: [...(this.#nodes.get(root)?.outputs.flat() ?? [])] }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const to = top.next.shift();
      if (to === undefined) {
        open.delete(top.name);
        this.#left.push(top.name);
        stack.pop();
      } else if (open.has(to)) this.#back.add(edge(top.name, to));
      else if (!seen.has(to) && this.#nodes.has(to)) {
        seen.add(to);
        open.add(to);
        stack.push({ name: to, next: [...(this.#nodes.get(to)?.outputs.flat() ?? [])] });
      }
    }
  }
}

const edge = (from: string, to: string): string => JSON.stringify([from, to]);

function intersection(sets: readonly ReadonlySet<string>[]): Set<string> {
  const [first, ...rest] = sets;
  return new Set([...(first ?? [])].filter((one) => rest.every((set) => set.has(one))));
}
