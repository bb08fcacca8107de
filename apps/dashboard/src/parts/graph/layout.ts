/**
 * Computes the positions of a workflow's nodes: lists go downwards, blocks lie inside their step, and the steps of a
 * `parallel` lie beside each other, each below those that it needs. A workflow is a tree, so no general graph layout is
 * needed: one walk suffices.
 */
import type { GraphNode, WorkflowGraph } from '@baton/editor-service';

export interface PlacedNode {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The node contains others, and is drawn as a frame around them. */
  readonly isFrame: boolean;
}

interface PlacedLabel {
  readonly x: number;
  readonly y: number;
  /** The room for it. */
  readonly width: number;
  readonly text: string;
}

interface PlacedEdge {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly kind: 'next' | 'needs';
}

export interface GraphPicture {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly labels: readonly PlacedLabel[];
  readonly edges: readonly PlacedEdge[];
}

export const headHeight = 44;
const nodeWidth = 208;
const gapY = 24;
const gapX = 20;
const padding = 14;
const labelHeight = 22;
/** More triggers than this beside each other would not fit beside the text of the editor. */
const triggersBeside = 2;

interface Block {
  readonly width: number;
  readonly height: number;
  /** Places all nodes of the block at this position. */
  readonly place: (x: number, y: number) => void;
}

interface Lane {
  readonly label: string | undefined;
  readonly nodes: readonly GraphNode[];
  readonly isBeside: boolean;
  /** The triggers, where they need several rows. */
  readonly isInRows: boolean;
}

const laneNames: Readonly<Record<string, string>> = {
  onError: 'on error',
  undo: 'undo',
  check: 'check',
  onFailure: 'On failure',
  finally: 'Finally',
};

/** What is drawn above a lane; nothing above the steps of the workflow itself. */
function laneText(kind: string, label: string | undefined): string | undefined {
  const labelName = laneNames[label ?? ''];
  if (labelName !== undefined) return labelName;
  const kindName = laneNames[kind];
  if (kindName !== undefined) return label === undefined ? kindName : `${kindName}: ${label}`;
  return kind === 'root' ? undefined : label;
}

export function pictureOf(graph: WorkflowGraph): GraphPicture {
  const drawing = new Drawing(graph);
  return drawing.picture();
}

class Drawing {
  readonly #graph: WorkflowGraph;
  readonly #lanes = new Map<string, Map<string, GraphNode[]>>();
  readonly #nodes: PlacedNode[] = [];
  readonly #labels: PlacedLabel[] = [];

  constructor(graph: WorkflowGraph) {
    this.#graph = graph;
    for (const node of graph.nodes) {
      const owner = node.parent ?? '';
      const lanes = this.#lanes.get(owner) ?? new Map<string, GraphNode[]>();
      this.#lanes.set(owner, lanes);
      lanes.set(node.lane.pointer, [...(lanes.get(node.lane.pointer) ?? []), node]);
    }
  }

  picture(): GraphPicture {
    const blocks = this.#lanesOf('').map((lane) => this.#lane(lane));
    const whole = stacked(blocks, gapY);
    whole.place(padding, padding);
    return {
      width: whole.width + 2 * padding,
      height: whole.height + 2 * padding,
      nodes: this.#nodes,
      labels: this.#labels,
      edges: this.#edges(),
    };
  }

  #lanesOf(owner: string): Lane[] {
    return [...(this.#lanes.get(owner)?.values() ?? [])].map((nodes) => {
      const lane = nodes[0]?.lane;
      const kind = lane?.kind ?? 'root';
      return {
        label: laneText(kind, lane?.label),
        nodes,
        isBeside: kind === 'parallel' || kind === 'on',
        isInRows: kind === 'on' && nodes.length > triggersBeside,
      };
    });
  }

  #lane(lane: Lane): Block {
    const { label } = lane;
    const list = stacked(this.#rowsOf(lane), gapY);
    if (label === undefined) return list;
    const width = Math.max(list.width, nodeWidth);
    return {
      width,
      height: list.height + labelHeight,
      place: (x, y) => {
        this.#labels.push({ x: x + 2, y: y + 14, width, text: label });
        list.place(x, y + labelHeight);
      },
    };
  }

  #rowsOf({ nodes, isBeside, isInRows }: Lane): Block[] {
    const row = (level: readonly GraphNode[]): Block => {
      const blocks = level.map((node) => this.#node(node));
      return beside(blocks, gapX);
    };
    if (!isBeside) return nodes.map((node) => this.#node(node));
    if (!isInRows) return this.#levels(nodes).map(row);
    // The last row begins where the others do: the edges of all go down between the two columns.
    const width = triggersBeside * nodeWidth + gapX;
    return inPairs(nodes).map((pair) => ({ ...row(pair), width }));
  }

  /** Sorts the steps of a `parallel` into levels by `needs`. */
  #levels(nodes: readonly GraphNode[]): GraphNode[][] {
    const level = new Map<string, number>();
    const needs = Map.groupBy(
      this.#graph.edges.filter(({ kind }) => kind === 'needs'),
      ({ to }) => to,
    );
    const levels: GraphNode[][] = [];
    for (const node of nodes) {
      const before = (needs.get(node.pointer) ?? []).map(({ from }) => level.get(from) ?? 0);
      const own = before.length === 0 ? 0 : Math.max(...before) + 1;
      level.set(node.pointer, own);
      (levels[own] ??= []).push(node);
    }
    return levels.filter((one) => one !== undefined);
  }

  #node(node: GraphNode): Block {
    const lanes = this.#lanesOf(node.pointer).map((lane) => this.#lane(lane));
    const inside = beside(lanes, gapX);
    const isFrame = lanes.length > 0;
    const width = isFrame ? Math.max(nodeWidth, inside.width + 2 * padding) : nodeWidth;
    const height = isFrame ? headHeight + inside.height + padding : headHeight;
    return {
      width,
      height,
      place: (x, y) => {
        this.#nodes.push({ node, x, y, width, height, isFrame });
        inside.place(x + (width - inside.width) / 2, y + headHeight);
      },
    };
  }

  #edges(): PlacedEdge[] {
    const byPointer = new Map(this.#nodes.map((placed) => [placed.node.pointer, placed]));
    const first = this.#graph.nodes.find(({ lane }) => lane.kind === 'root' && lane.label === 'steps');
    const triggers = this.#graph.nodes.filter(({ kind }) => kind === 'trigger');
    const started = triggers.flatMap(({ pointer }) =>
      first === undefined ? [] : [{ from: pointer, to: first.pointer, kind: 'next' as const }],
    );
    const fromTrigger = triggers.length > triggersBeside ? betweenColumns : curve;
    const placed = [
      ...started.map((edge) => ({ ...edge, draw: fromTrigger })),
      ...this.#graph.edges.map((edge) => ({ ...edge, draw: curve })),
    ];
    return placed.flatMap(({ from, to, kind, draw }) => {
      const start = byPointer.get(from);
      const end = byPointer.get(to);
      if (kind === 'reads' || start === undefined || end === undefined) return [];
      return [{ from, to, kind, path: draw(start, end) }];
    });
  }
}

function curve(start: PlacedNode, end: PlacedNode): string {
  const x1 = start.x + start.width / 2;
  const y1 = start.y + start.height;
  const x2 = end.x + end.width / 2;
  const bend = Math.max(8, (end.y - y1) / 2);
  return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${end.y - bend} ${x2} ${end.y - 1}`;
}

/** From the inner side of a trigger to the middle, and down to the first step. */
function betweenColumns(start: PlacedNode, end: PlacedNode): string {
  const middle = end.x + end.width / 2;
  const side = start.x < middle - nodeWidth / 2 ? start.x + start.width : start.x;
  const y = start.y + start.height / 2;
  return `M${side} ${y}Q${middle} ${y} ${middle} ${y + gapX / 2}V${end.y - 1}`;
}

const inPairs = (nodes: readonly GraphNode[]): GraphNode[][] =>
  Array.from({ length: Math.ceil(nodes.length / triggersBeside) }, (_, at) =>
    nodes.slice(at * triggersBeside, (at + 1) * triggersBeside),
  );

function stacked(blocks: readonly Block[], gap: number): Block {
  const width = Math.max(0, ...blocks.map((block) => block.width));
  const height = blocks.reduce((sum, block) => sum + block.height, 0) + Math.max(0, blocks.length - 1) * gap;
  return {
    width,
    height,
    place: (x, y) => {
      let at = y;
      for (const block of blocks) {
        block.place(x + (width - block.width) / 2, at);
        at += block.height + gap;
      }
    },
  };
}

function beside(blocks: readonly Block[], gap: number): Block {
  const width = blocks.reduce((sum, block) => sum + block.width, 0) + Math.max(0, blocks.length - 1) * gap;
  const height = Math.max(0, ...blocks.map((block) => block.height));
  return {
    width,
    height,
    place: (x, y) => {
      let at = x;
      for (const block of blocks) {
        block.place(at, y);
        at += block.width + gap;
      }
    },
  };
}
