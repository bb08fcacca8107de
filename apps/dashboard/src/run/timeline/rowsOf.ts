/** Lists the steps of a run as flat rows: many items are folded to a strip until a person opens them. */
import { type StepStatus, type TracedStep, asEnsured, causeOf } from '@baton/engine';
import { type Json, isObject } from '@baton/primitives';

import type { PlannedStep } from '../planned.ts';
import type { StripRow, TimelineRow } from './timelineRow.ts';
import { worstOf } from './worstStatus.ts';

interface FrameIndex {
  readonly byFrame: ReadonlyMap<string, readonly TracedStep[]>;
  /** Names of the frames inside a step, by its path, in the order in which they began. */
  readonly frames: ReadonlyMap<string, readonly string[]>;
}

const cut = (path: string): number => Math.max(0, path.lastIndexOf('/'));
const keyOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function frameIndexOf(steps: readonly TracedStep[]): FrameIndex {
  const byFrame = Map.groupBy(steps, ({ path }) => path.slice(0, cut(path)));
  const frames = new Map<string, string[]>();
  for (const frame of byFrame.keys()) {
    const slash = frame.lastIndexOf('/');
    if (slash < 0) continue;
    const owner = frame.slice(0, slash);
    const known = frames.get(owner);
    if (known === undefined) frames.set(owner, [frame.slice(slash + 1)]);
    else known.push(frame.slice(slash + 1));
  }
  return { byFrame, frames };
}

/** Up to this many items are open initially. */
const fewItems = 6;
const failedMax = 5;
const reasonsMax = 10;

const isBad = (status: StepStatus): boolean => status === 'failed' || status === 'unknown';

const handlerNames: Readonly<Record<string, string>> = {
  '@onError': 'on error',
  '@ensure': 'ensure',
  '@undo': 'undo',
};
const rootNames: Readonly<Record<string, string>> = { '@onFailure': 'On failure', '@finally': 'Finally' };

const openStatuses: ReadonlySet<StepStatus> = new Set(['pending', 'running', 'waiting', 'retrying']);
const isStepOver = (status: StepStatus): boolean => !openStatuses.has(status);

export interface RowOptions {
  /** Paths of steps that a person opened or closed. */
  readonly opened: ReadonlyMap<string, boolean>;
  /** Titles that the author gave, by key. */
  readonly titles: ReadonlyMap<string, string>;
  /** The key of the `parallel`, `switch` or group, whose frame a step shares, by the key of that step. */
  readonly holders: ReadonlyMap<string, string>;
  /** Those that have not begun are rows too. */
  readonly planned: readonly PlannedStep[];
}

export function rowsOf(steps: readonly TracedStep[], options: RowOptions): TimelineRow[] {
  const index = frameIndexOf(asEnsured(steps));
  const rows: TimelineRow[] = [];
  const writer = new RowWriter(index, options, rows);
  writer.frame('', 0);
  writer.pending('', 0);
  for (const [root, label] of Object.entries(rootNames)) {
    if (!index.byFrame.has(root) && !options.planned.some(({ around }) => around === root)) continue;
    rows.push({ kind: 'heading', key: root, depth: 0, label });
    writer.frame(root, 1);
    writer.pending(root, 1);
  }
  return rows;
}

const noneHeld: ReadonlyMap<string, TracedStep[]> = new Map();

class RowWriter {
  readonly #index: FrameIndex;
  readonly #options: RowOptions;
  readonly #rows: TimelineRow[];
  readonly #planned: ReadonlyMap<string, readonly PlannedStep[]>;
  readonly #begun: ReadonlySet<string>;

  constructor(index: FrameIndex, options: RowOptions, rows: TimelineRow[]) {
    this.#index = index;
    this.#options = options;
    this.#rows = rows;
    this.#planned = Map.groupBy(options.planned, ({ around }) => around);
    this.#begun = new Set(
      ['', '@finally'].flatMap((frame) => (index.byFrame.get(frame) ?? []).map(({ path }) => path)),
    );
  }

  frame(frame: string, depth: number, prefix = ''): void {
    const steps = this.#index.byFrame.get(frame) ?? [];
    if (!steps.some(({ path }) => this.#options.holders.has(keyOf(path)))) {
      for (const step of steps) this.#step(step, depth, prefix, noneHeld);
      return;
    }
    const keys = new Set(steps.map(({ path }) => keyOf(path)));
    const held = Map.groupBy(steps, ({ path }) => this.#holderOf(keyOf(path), keys));
    for (const step of held.get(undefined) ?? []) this.#step(step, depth, prefix, held);
  }

  /** `around`: a frame, or the path of a step that holds others. */
  pending(around: string, depth: number, isTooLate = false): void {
    for (const { path } of this.#planned.get(around) ?? []) {
      if (this.#begun.has(path)) continue;
      this.#rows.push({ kind: 'pending', key: path, depth, label: this.#titleOf(path), isTooLate });
      this.pending(path, depth + 1, isTooLate);
    }
  }

  #titleOf(path: string): string {
    const key = keyOf(path);
    return this.#options.titles.get(key) ?? key;
  }

  /** The nearest enclosing step that has begun. */
  #holderOf(key: string, keys: ReadonlySet<string>): string | undefined {
    const holder = this.#options.holders.get(key);
    return holder === undefined || keys.has(holder) ? holder : this.#holderOf(holder, keys);
  }

  #step(step: TracedStep, depth: number, prefix: string, held: ReadonlyMap<string | undefined, TracedStep[]>): void {
    const { path } = step;
    const frames = this.#index.frames.get(path) ?? [];
    const items = frames.filter((name) => !name.startsWith('@'));
    const isOpen = this.#options.opened.get(path) ?? (step.total ?? items.length) <= fewItems;
    const key = keyOf(path);
    const label = `${prefix}${this.#titleOf(path)}`;
    this.#rows.push({ kind: 'step', key: path, depth, label, step, items: items.length, isOpen });
    if (items.length > 0) this.#items(step, items, depth + 1, isOpen);
    for (const inner of held.get(key) ?? []) this.#step(inner, depth + 1, '', held);
    this.pending(path, depth + 1, isStepOver(step.status));
    for (const name of frames) {
      if (!name.startsWith('@')) continue;
      this.frame(`${path}/${name}`, depth + 1, `${handlerNames[name] ?? 'check'}: `);
    }
  }

  #items({ path, total, items = [] }: TracedStep, names: readonly string[], depth: number, isOpen: boolean): void {
    if ((total ?? names.length) > fewItems) this.#rows.push(this.#strip(path, names, total ?? names.length, depth));
    const failed = isOpen ? [] : names.filter((name) => isBad(this.#statusOf(`${path}/${name}`)));
    if (failed.length > failedMax) return this.#reasons(path, failed, items, depth);
    this.#eachItem(path, isOpen ? names : failed, items, depth);
  }

  /** The most frequent first. */
  #reasons(path: string, failed: readonly string[], items: readonly Json[], depth: number): void {
    const groups = Map.groupBy(failed, (name) => this.#reasonOf(`${path}/${name}`));
    const all = [...groups].toSorted(([, one], [, other]) => other.length - one.length);
    for (const [reason, names] of all.slice(0, reasonsMax)) {
      const key = `${path} ${reason}`;
      const isOpen = this.#options.opened.get(key) ?? false;
      const label = `${names.length.toLocaleString('en')} × ${reason}`;
      this.#rows.push({ kind: 'reason', key, depth, label, isOpen });
      if (isOpen) this.#eachItem(path, names, items, depth + 1);
    }
    const others = all.slice(reasonsMax).reduce((sum, [, names]) => sum + names.length, 0);
    if (others > 0) {
      const label = `${others.toLocaleString('en')} × other reasons`;
      this.#rows.push({ kind: 'heading', key: `${path} other reasons`, depth, label });
    }
  }

  #reasonOf(frame: string): string {
    const failure = this.#index.byFrame.get(frame)?.find((step) => step.failure !== undefined)?.failure;
    return failure === undefined ? 'failed inside' : `${failure.code}: ${causeOf(failure.message)}`;
  }

  #eachItem(path: string, names: readonly string[], items: readonly Json[], depth: number): void {
    for (const name of names) {
      const inside = this.#index.byFrame.get(`${path}/${name}`) ?? [];
      const isAlone = inside.length === 1;
      const label = itemName(name, items[Number(name)]);
      if (!isAlone) this.#rows.push({ kind: 'heading', key: `${path}/${name}`, depth, label });
      const prefix = label === `[${name}]` ? `${label} ` : `${label} · `;
      this.frame(`${path}/${name}`, isAlone ? depth : depth + 1, isAlone ? prefix : '');
    }
  }

  #strip(path: string, names: readonly string[], total: number, depth: number): StripRow {
    const counts: Partial<Record<StepStatus, number>> = {};
    const cells = names.map((name) => {
      const status = this.#statusOf(`${path}/${name}`);
      counts[status] = (counts[status] ?? 0) + 1;
      return status;
    });
    const pending = total - names.length;
    for (let at = 0; at < pending; at += 1) cells.push('pending');
    if (pending > 0) counts.pending = pending;
    return { kind: 'strip', key: `${path} strip`, depth, path, cells, counts };
  }

  #statusOf = (frame: string): StepStatus => worstOf(this.#index.byFrame.get(frame) ?? []);
}

/** Keys by which people know a thing, the best first. */
const nameKeys = ['name', 'title', 'id', 'key', 'path', 'url'] as const;

const charactersMax = 32;

/** `index` alone where the value is not known, or says the same. */
export function itemName(index: string, item: Json | undefined): string {
  const text = item === undefined || item === null ? '' : shortForm(item);
  return text === '' || text === index ? `[${index}]` : `[${index}] ${text}`;
}

function shortForm(item: Exclude<Json, null>): string {
  const named = isObject(item) ? nameKeys.map((key) => item[key]).find(isNaming) : item;
  const text = typeof named === 'object' || named === undefined ? JSON.stringify(item) : String(named);
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > charactersMax ? `${line.slice(0, charactersMax - 1)}…` : line;
}

const isNaming = (value: Json | undefined): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
