/**
 * The language service: completion, hover, findings, fixes and navigation for authors of workflows. The page, `baton
 * lsp` and the authoring tools call it, and have no rules of their own.
 *
 * Pure and free of Node: it runs in browsers. What servers offer, which workflows are deployed and the time are
 * arguments. It reads with the parser that `check` uses, so it says what `check` says; half-typed files are read as far
 * as they go.
 */
export type { CheckOptions, WorkflowSignature } from '../check/options.ts';
export type { OfferedPrompt, OfferedTool, ServerOffer, ServerOffers } from '../servers/offer.ts';
export type { Span } from '../source/source.ts';
export type { Diagnostic } from '../yaml/document.ts';
export { DocumentReader } from '../yaml/documentReader.ts';
export { complete } from './complete/complete.ts';
export type { Completion, CompletionKind, Completions } from './complete/completion.ts';
export { diagnose } from './diagnose.ts';
export type { GraphEdge, GraphLane, GraphNode, WorkflowGraph } from './graph.ts';
export { graph } from './graph.ts';
export type { Hover } from './hover/hoverText.ts';
export { hover } from './hover/hover.ts';
export type { TextReading } from './reading/reading.ts';
export { readText } from './reading/reading.ts';
export type { Edit } from './edit.ts';
export { applyEdits } from './edit.ts';
export type { Fix } from './fixes.ts';
export { fixAll, fixes } from './fixes.ts';
export { format } from './format.ts';
export type { Definition, RenameResult } from './names/navigate.ts';
export { definition, references, rename, renameWorkflow } from './names/navigate.ts';
export type { Occurrence } from './names/occurrences.ts';
export type { OutlineEntry } from './outline.ts';
export { folding, symbols } from './outline.ts';
