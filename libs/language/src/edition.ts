/**
 * The meaning of a file has changed twice in ways that an unfinished run would notice. A definition keeps the edition
 * that it was deployed under, so that its runs end as they began; a new deployment uses the current edition.
 *
 * 1   None is null in maps too. A failure that a tool reports itself is tried again. What a handler gives is not seen.
 * 2   A key whose value is none is left out. A tool's own failure is final unless `retry.on` names it. 3   A step of a
 * handler with the id of the step that failed takes its place.
 */
export type Edition = 1 | 2 | 3;

export const editionNow: Edition = 3;
