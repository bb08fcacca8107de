/**
 * Learning: makes a workflow of the calls of a run.
 *
 *   seenRun(events, blobs)   the calls of a run, from its journal
 *   learn(run, options)      the workflow that repeats them, the calls left out, and the proof
 *
 * Pure: it calls no server and no model, and every value of the workflow is traced to an answer, an input or a
 * constant. The proof plays the workflow with the recorded answers, and reports each difference with its place.
 */
export { learn, type LearnOptions } from './learn.ts';
export type { Learned, LearnQuestion } from './draft.ts';
export { callKey, seenRun, targetOf, type SeenCall, type SeenRun } from './seenCall.ts';
export { isCursorName } from './sameName.ts';
