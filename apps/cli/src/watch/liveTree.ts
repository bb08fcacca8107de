/**
 * Draws the tree of a run on a terminal, again and again in the same place.
 *
 * log-update writes only the lines that changed, inside one synchronized update, so nothing flickers. Settled blocks
 * scroll away when there is no room, and are never redrawn.
 */
import { createLogUpdate } from 'log-update';

import type { Output } from '../output/output.ts';
import { widthOf } from '../output/text.ts';
import type { DrawnRun } from '../tree/drawRun.ts';
import { fitLines } from '../tree/fitLines.ts';

export interface TreePicture {
  readonly drawing: DrawnRun;
  /** A line below the tree. */
  readonly note?: string | undefined;
}

const defaultRows = 24;
const defaultColumns = 80;

export class LiveTree {
  readonly #output: Output;
  readonly #update: ReturnType<typeof createLogUpdate>;
  /** Blocks that have scrolled away. */
  #gone = 0;
  #shown: readonly string[] = [];
  #shownWidth = 0;

  constructor(output: Output) {
    this.#output = output;
    this.#update = createLogUpdate(output.stream);
  }

  /** Cells that a line may have: the last column stays free, so that no line wraps. */
  get width(): number {
    return (this.#output.columns() ?? defaultColumns) - 1;
  }

  draw({ drawing, note }: TreePicture): void {
    this.#mendAfterResize();
    const { blocks, footer } = drawing;
    const last = widthOf(`${footer}${note ?? ''}`) > this.width ? footer : `${footer}${note ?? ''}`;
    // One row for the footer, one for the cursor below it.
    const height = Math.max(1, (this.#output.rows() ?? defaultRows) - 2);
    let open = blocks.slice(this.#gone);
    let lines = open.flatMap((block) => block.lines);
    const leaving: string[] = [];
    while (lines.length > height && open[0]?.isSettled === true) {
      leaving.push(...open[0].lines.map(({ text }) => text));
      open = open.slice(1);
      this.#gone += 1;
      lines = open.flatMap((block) => block.lines);
    }
    if (leaving.length > 0) this.#update.persist(leaving.join('\n'));
    this.#show([...fitLines(lines, height, this.#output.paint), last]);
  }

  /** Draws the rest for the last time. */
  finish({ blocks, footer }: DrawnRun): void {
    this.#mendAfterResize();
    const lines = blocks.slice(this.#gone).flatMap((block) => block.lines.map(({ text }) => text));
    this.#update.persist([...lines, footer].join('\n'));
    this.#gone = blocks.length;
    this.#end();
  }

  /** Leaves the terminal to another writer; the next `draw` begins below its text. */
  pause(): void {
    this.#update.clear();
    this.#end();
  }

  #end(): void {
    this.#update.done();
    this.#shown = [];
  }

  #show(lines: readonly string[]): void {
    this.#update(lines.join('\n'));
    this.#shown = lines;
    this.#shownWidth = this.width;
  }

  /** A terminal that became narrower has wrapped the drawing: clears these rows too. */
  #mendAfterResize(): void {
    const { width } = this;
    if (width >= this.#shownWidth || this.#shown.length === 0) return;
    const wrapped = this.#shown.reduce((sum, line) => sum + Math.ceil(Math.max(1, widthOf(line)) / (width + 1)) - 1, 0);
    if (wrapped > 0) this.#output.stream.write(`\u001B[${wrapped}A\u001B[0J`);
    this.#shownWidth = width;
  }
}
