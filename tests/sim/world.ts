/**
 * Virtual time. Everything that happens is a callback at an instant; between two of them all promises that can go on do.
 * The same callbacks in the same order, whenever and wherever it is run.
 */
import { Random } from './random.ts';

interface Happening {
  readonly at: number;
  readonly order: number;
  callback: (() => void) | undefined;
}

export class World {
  readonly random: Random;
  /** Milliseconds since the beginning. */
  now = 0;
  #heap: Happening[] = [];
  #order = 0;
  #isTouched = false;
  #broken: Error | undefined;

  constructor(seed: string) {
    this.random = new Random(seed);
  }

  /** Calls back in `ms`, unless the returned function is called first. */
  after(ms: number, callback: () => void): () => void {
    const happening: Happening = { at: this.now + Math.max(0, ms), order: this.#order++, callback };
    push(this.#heap, happening);
    return () => {
      happening.callback = undefined;
    };
  }

  /** Promises were settled: they are to run before anything else happens. */
  touch(): void {
    this.#isTouched = true;
  }

  /** A bug in a task that no other task awaits. */
  fail(error: unknown): void {
    this.#broken ??= error instanceof Error ? error : new Error(String(error));
  }

  /** Goes on until `isOver`, or until nothing more will happen, or until `untilMs`. Throws what broke. */
  async run(isOver: () => boolean, untilMs: number): Promise<void> {
    await drained();
    while (!isOver()) {
      const next = pop(this.#heap);
      if (next === undefined || next.at > untilMs) return;
      if (next.callback === undefined) continue;
      this.now = Math.max(this.now, next.at);
      next.callback();
      if (this.#isTouched) {
        this.#isTouched = false;
        await drained();
      }
      if (this.#broken !== undefined) throw this.#broken;
    }
  }
}

/** All microtasks have run: `setImmediate` comes after them, and nothing else in a simulation is asynchronous. */
const drained = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const isBefore = (a: Happening, b: Happening): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Happening[], item: Happening): void {
  let at = heap.push(item) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(item, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = item;
}

function pop(heap: Happening[]): Happening | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (top === undefined || last === undefined || top === last) return top;
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const isRight = right !== undefined && left !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (child === undefined || !isBefore(child, last)) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = last;
  return top;
}
