/**
 * Frames by the index of their item, for items that are over and may still be taken back. Never changed; one change
 * copies a page and the list of pages, however many there are.
 */
import type { Frame } from './step.ts';

const pageSize = 128;

export type ClosedFrames = readonly (readonly (Frame | undefined)[])[];

export function closedFrame(closed: ClosedFrames | undefined, name: string): Frame | undefined {
  const index = Number(name);
  return Number.isInteger(index) ? closed?.[Math.floor(index / pageSize)]?.[index % pageSize] : undefined;
}

/** `closed` with `frame` at the item's index; undefined takes it away. */
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
