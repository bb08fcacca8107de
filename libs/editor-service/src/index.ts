/**
 * What an editor asks: completion, hover, findings, fixes and navigation for authors of workflows. The page, `baton
 * lsp` and the authoring tools call it, and have no rules of their own.
 *
 * Pure and free of Node: it runs in browsers. What servers offer, which workflows are deployed and the time are
 * arguments. It reads with the parser that `check` uses, so it says what `check` says; half-typed files are read as far
 * as they go.
 *
 * Folders, lowest first: schemas, reading, names, complete, hover.
 */
export { complete } from './complete/complete.ts';
export type { Completion, CompletionKind, Completions } from './complete/completion.ts';
export { diagnose } from './diagnose.ts';
export type { Edit } from './edit.ts';
export { type Fix, fixAll, fixes } from './fixes.ts';
export { format } from './format.ts';
export { type GraphNode, type WorkflowGraph, graph } from './graph.ts';
export { hover } from './hover/hover.ts';
export type { Hover } from './hover/hoverText.ts';
export { definition, references, rename, renameWorkflow } from './names/navigate.ts';
export { type OutlineEntry, folding, symbols } from './outline.ts';
export { type TextReading, readText } from './reading/reading.ts';
