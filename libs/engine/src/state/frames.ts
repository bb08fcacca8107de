/**
 * Frames by item index, for items that are over and may still be undone. Immutable; one change copies a page and the
 * list of pages, however many frames there are.
 */
import type { Frame, StepState } from './step.ts';

const pageSize = 128;

export type ClosedFrames = readonly (readonly (Frame | undefined)[])[];

export function closedFrame(closed: ClosedFrames | undefined, name: string): Frame | undefined {
  const index = Number(name);
  return Number.isInteger(index) ? closed?.[Math.floor(index / pageSize)]?.[index % pageSize] : undefined;
}

/** `closed` with `frame` at the item's index; undefined removes it. */
export function withClosed(closed: ClosedFrames | undefined, name: string, frame: Frame | undefined): ClosedFrames {
  const index = Number(name);
  const pageAt = Math.floor(index / pageSize);
  const pages = [...(closed ?? [])];
  while (pages.length <= pageAt) pages.push([]);
  const page = [...(pages[pageAt] ?? [])];
  while (page.length <= index % pageSize) page.push(undefined);
  page[index % pageSize] = frame;
  pages[pageAt] = page;
  return pages;
}

/** A frame that changes no more except by undoing: its outputs stay in the journal only. */
export const leftInJournal = (frame: Frame): Frame => ({ steps: frame.steps.map(withoutValue) });

function withoutValue(state: StepState): StepState {
  const frames = new Map([...state.frames].map(([name, frame]) => [name, leftInJournal(frame)] as const));
  if (state.status !== 'succeeded' || !('json' in state.value) || !isCompound(state.value.json))
    return { ...state, frames };
  return { ...state, frames, value: { past: state.seq } };
}

const isCompound = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);
