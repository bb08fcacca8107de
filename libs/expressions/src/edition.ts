/**
 * The meaning of a file has changed three times in ways that an unfinished run would notice. A definition keeps the edition
 * that it was deployed under, so that its runs end as they began; a new deployment uses the current edition.
 *
 * 1   None is null in maps too. A failure that a tool reports itself is tried again. What a handler gives is not seen.
 * 2   A key whose value is none is left out. A tool's own failure is final unless `retry.on` names it. 3   A step of a
 * handler with the id of the step that failed takes its place. 4   `steps.x.?output` is none if the step has no output:
 * it was skipped, or its failure was ignored.
 */
export type Edition = 1 | 2 | 3 | 4;

export const editionNow: Edition = 4;
