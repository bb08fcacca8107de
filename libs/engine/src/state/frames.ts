/**
 * Frames by item index, for items that are over and may still be undone. Immutable, in pages: a change copies one page
 * and the list of pages, not all frames.
 */
const pageSize = 128;

export type ClosedFrames<Frame> = readonly (readonly (Frame | undefined)[])[];

export function closedFrame<Frame>(closed: ClosedFrames<Frame> | undefined, name: string): Frame | undefined {
  const index = Number(name);
  return Number.isInteger(index) ? closed?.[Math.floor(index / pageSize)]?.[index % pageSize] : undefined;
}

/** `closed` with `frame` at the item's index; undefined removes it. */
export function withClosed<Frame>(
  closed: ClosedFrames<Frame> | undefined,
  name: string,
  frame: Frame | undefined,
): ClosedFrames<Frame> {
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
