/** Draws a workflow as SVG. A workflow that is too large to read as a picture is shown as a list. */
import type { GraphNode, WorkflowGraph } from '@baton/editor-service';
import { memo, useMemo } from 'react';

import { Skeleton } from '../notes.tsx';
import { StatusMark } from '../statusMark.tsx';
import { type GraphPicture, type PlacedNode, headHeight, pictureOf } from './layout.ts';
import { serverOf } from './serverOf.ts';

import './graph.css';

interface NodeLook {
  /** Status of the steps that the node stands for; absent without a run. */
  readonly status?: string | undefined;
  readonly note?: string | undefined;
}

interface GraphViewProps {
  readonly graph: WorkflowGraph;
  readonly chosen?: string | undefined;
  readonly look?: (pointer: string) => NodeLook;
  /** Whether the tools of this server are still being read. */
  readonly isReading?: (server: string) => boolean;
  readonly onChoose?: (pointer: string) => void;
}

/** Larger graphs are unreadable, and slow to draw. */
const nodesMax = 250;

/** A picture that is too wide is scaled down to this at most; then it scrolls. */
const smallestScale = 0.7;

const noLook = (): NodeLook => ({});
const noneRead = (): boolean => false;

export function GraphView({ graph, chosen, look = noLook, isReading = noneRead, onChoose }: GraphViewProps) {
  const isLarge = graph.nodes.length > nodesMax;
  const picture = useMemo(() => (isLarge ? undefined : pictureOf(graph)), [graph, isLarge]);
  if (graph.nodes.length === 0) return <p className="faint graph-none">There is no step to draw yet.</p>;
  return picture === undefined ? (
    <Outline graph={graph} look={look} onChoose={onChoose} />
  ) : (
    <Picture picture={picture} chosen={chosen} look={look} isReading={isReading} onChoose={onChoose} />
  );
}

/** Stands where the graph will be, so that nothing moves when it comes. */
export const GraphSkeleton = () => (
  <div className="graph">
    <Skeleton />
  </div>
);

interface PictureProps {
  readonly picture: GraphPicture;
  readonly chosen: string | undefined;
  readonly look: (pointer: string) => NodeLook;
  readonly isReading: (server: string) => boolean;
  readonly onChoose: ((pointer: string) => void) | undefined;
}

function Picture({ picture, chosen, look, isReading, onChoose }: PictureProps) {
  const { width, height, nodes, labels, edges } = picture;
  const draw = (placed: PlacedNode) => {
    const { pointer } = placed.node;
    const server = serverOf(placed.node);
    return (
      <Node
        key={pointer}
        placed={placed}
        isChosen={chosen === pointer}
        isReading={server !== undefined && isReading(server)}
        look={look}
        onChoose={onChoose}
      />
    );
  };
  return (
    <div className="graph" tabIndex={0} role="group" aria-label="Graph of the workflow">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        style={{ minWidth: Math.round(width * smallestScale) }}
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M1 1 7 4 1 7" fill="none" stroke="var(--line-strong)" strokeWidth="1.4" />
          </marker>
        </defs>
        {nodes.filter(({ isFrame }) => isFrame).map(draw)}
        {edges.map(({ from, to, path, kind }) => (
          <path key={`${from} ${to}`} className={`edge ${kind}`} d={path} markerEnd="url(#arrow)" />
        ))}
        {nodes.filter(({ isFrame }) => !isFrame).map(draw)}
        {labels.map(({ x, y, width: room, text }) => (
          <text key={`${x} ${y}`} className="lane-label" x={x} y={y}>
            <title>{text}</title>
            {short(text, Math.floor(room / labelCharacterWidth))}
          </text>
        ))}
      </svg>
    </div>
  );
}

interface NodeProps {
  readonly placed: PlacedNode;
  readonly isChosen: boolean;
  /** The tools of its server are still being read. */
  readonly isReading: boolean;
  readonly look: (pointer: string) => NodeLook;
  readonly onChoose: ((pointer: string) => void) | undefined;
}

const nameOf = ({ title, id, kind, label }: GraphNode): string => title ?? id ?? (label === kind ? kind : label);

/** The second line of a node. */
function kindLine(node: GraphNode): string {
  const { kind, label } = node;
  if (kind === 'trigger') return 'trigger';
  return label === kind || label === nameOf(node) ? kind : `${kind} ${label}`;
}

/** What is marked on a node: a call that writes, or one whose effect is not known, or not yet. */
function effectMark({ kind, effect }: GraphNode, isReading: boolean): string | undefined {
  if (kind === 'tool' && effect === undefined) return isReading ? 'reading' : 'effect ?';
  return effect?.effect === 'read' ? undefined : effect?.effect;
}

/** Characters that fit into a line of a node, at their average width. */
const lineMax = { name: 26, below: 29 };
const labelCharacterWidth = 6.2;
/** Those that the mark of a status takes. */
const statusRoom = 4;
const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function Node({ placed, isChosen, isReading, look, onChoose }: NodeProps) {
  const { node, x, y, width, height, isFrame } = placed;
  const { pointer, kind, effect, isBroken } = node;
  const { status, note } = look(pointer);
  const name = nameOf(node);
  const choose = (): void => onChoose?.(pointer);
  const isTrigger = kind === 'trigger';
  const below = kindLine(node);
  const mark = effectMark(node, isReading);
  const room = (most: number, beside = ''): number =>
    most - (status === undefined ? 0 : statusRoom) - (beside === '' ? 0 : beside.length + 1);
  return (
    <g
      className={`node k-${kind}${isFrame ? ' frame' : ''}${isChosen ? ' chosen' : ''}${isBroken === true ? ' broken' : ''}${
        status === undefined ? '' : ` has-status s-${status}`
      }`}
      transform={`translate(${x} ${y})`}
      role={onChoose === undefined ? undefined : 'button'}
      tabIndex={onChoose === undefined ? undefined : 0}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') choose();
      }}
    >
      <title>
        {[name, below, status, effect?.effect ?? (kind === 'tool' ? 'effect not known' : undefined)]
          .filter((one) => one !== undefined)
          .join(', ')}
      </title>
      <rect width={width} height={height} rx={isTrigger ? headHeight / 2 : 7} />
      {status !== undefined && (
        <g transform="translate(11 14)">
          <StatusMark status={status} size={16} />
        </g>
      )}
      <text className="node-name" x={status === undefined ? 13 : 36} y={18}>
        {short(name, room(lineMax.name, note))}
      </text>
      <text className="node-below" x={status === undefined ? 13 : 36} y={34}>
        {short(below, room(lineMax.below, mark))}
      </text>
      {mark !== undefined && (
        <text className={effect?.effect === 'write' ? 'node-effect write' : 'node-effect'} x={width - 10} y={34}>
          {mark}
        </text>
      )}
      {note !== undefined && (
        <text className="node-note" x={width - 10} y={18}>
          {note}
        </text>
      )}
    </g>
  );
}

interface OutlineProps {
  readonly graph: WorkflowGraph;
  readonly look: (pointer: string) => NodeLook;
  readonly onChoose: ((pointer: string) => void) | undefined;
}

function Outline({ graph, look, onChoose }: OutlineProps) {
  const depth = useMemo(() => {
    const known = new Map<string, number>();
    for (const { pointer, parent } of graph.nodes)
      known.set(pointer, parent === undefined ? 0 : (known.get(parent) ?? 0) + 1);
    return known;
  }, [graph]);
  return (
    <ol className="outline" aria-label="Steps of the workflow">
      <li className="faint small">
        {graph.nodes.length.toLocaleString('en')} steps: more than a picture can show, so they are a list.
      </li>
      {graph.nodes.map((node) => (
        <OutlineRow
          key={node.pointer}
          pointer={node.pointer}
          name={nameOf(node)}
          label={node.label}
          status={look(node.pointer).status ?? 'pending'}
          depth={depth.get(node.pointer) ?? 0}
          onChoose={onChoose}
        />
      ))}
    </ol>
  );
}

interface OutlineRowProps extends Pick<OutlineProps, 'onChoose'> {
  readonly pointer: string;
  readonly name: string;
  readonly label: string;
  readonly status: string;
  readonly depth: number;
}

/** Memoised: while a person types, each graph is new, but most rows are unchanged. */
const OutlineRow = memo(function OutlineRow({ pointer, name, label, status, depth, onChoose }: OutlineRowProps) {
  return (
    <li style={{ paddingLeft: depth * 16 }}>
      <button type="button" className="t-name row" onClick={() => onChoose?.(pointer)}>
        <StatusMark status={status} />
        {name} <span className="faint small">{label}</span>
      </button>
    </li>
  );
});
