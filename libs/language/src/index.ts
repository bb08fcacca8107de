/**
 * The workflow language: parse, check, type and resolve workflows and their expressions.
 *
 * Pure: text in, findings and a plan out. It never reads a file, a clock or a server; what servers offer comes in as
 * an argument. It answers every input in bounded time and memory, and reports everything that is wrong.
 */
export type { Json, JsonObject, JsonSchema } from './json.ts';
export type { Finding } from './finding.ts';
export type { FindingCode } from './findingCodes.ts';
export { findingCodes } from './findingCodes.ts';
export type { FindingSpec } from './findings/findingSpec.ts';
export type { ForeignPlace, ForeignText } from './foreign.ts';
export { readForeign } from './foreign.ts';
export { formatFinding } from './formatFinding.ts';
export { parseJsonText } from './jsonText.ts';
export type { JsonFault } from './strictJson/jsonFaults.ts';
export { jsonTokens } from './strictJson/jsonTokens.ts';
export type { JsonReading } from './strictJson/readJson.ts';
export { readJson } from './strictJson/readJson.ts';
export { limits } from './limits.ts';
export { lineOf, placeOf } from './lineOf.ts';
export type { Position } from './source/source.ts';
export type { Edition } from './edition.ts';
export { editionNow } from './edition.ts';
export { EvaluationError } from './evaluationError.ts';
export type {
  ActionStep,
  AskStep,
  Block,
  Budget,
  CallStep,
  Concurrency,
  ControlStep,
  DecidedEffect,
  KeySupport,
  Effect,
  EnsureStep,
  ErrorHandler,
  Expression,
  FailStep,
  ForEachStep,
  GroupStep,
  OnError,
  ParallelStep,
  Plan,
  PromptStep,
  References,
  RepeatStep,
  ResourceStep,
  RetryPolicy,
  SampleStep,
  Scope,
  SetStep,
  Step,
  SwitchStep,
  Template,
  Timeout,
  ToolPin,
  ToolSchemas,
  ToolStep,
  Verb,
  WaitStep,
  WorkflowStep,
} from './plan.ts';
export { isHiddenHeader } from './check/hiddenHeaders.ts';
export { sessionWorkflow } from './check/names.ts';
export type { CheckOptions, WorkflowSignature } from './check/options.ts';
export type { CompileOptions } from './compile/compile.ts';
export { compile } from './compile/compile.ts';
export type {
  DeviceTrigger,
  ResourceTrigger,
  ScheduleTrigger,
  ToolTrigger,
  TriggerPlan,
  WebhookTrigger,
} from './compile/triggers.ts';
export { compileTriggers } from './compile/triggers.ts';
export { interpolated, literal, looksLikeTemplate, member, written } from './expression/celText.ts';
export { describeValue } from './expression/describeValue.ts';
export { instantFault } from './expression/functions/parseTime.ts';
export { readExpression } from './expression/readExpression.ts';
export { durationMs, durationText } from './document/duration.ts';
export { installationSchema } from './document/installationSchema.ts';
export { workflowJsonSchema } from './document/jsonSchema.ts';
export type { Workflow } from './document/workflow.ts';
export type { WorkflowTargets, ParsedWorkflow, ParseOptions } from './parseWorkflow.ts';
export {
  checkWorkflow,
  givenUp,
  outlineOf,
  outputSchemasOf,
  parseWorkflow,
  parsing,
  signatureOf,
} from './parseWorkflow.ts';
export { languageGuide } from './guide.ts';
export { printWorkflow } from './printWorkflow.ts';
export { printRecording, readRecording } from './recording/readRecording.ts';
export type { ReadRecording } from './recording/readRecording.ts';
export type { RecordedCall, Recording } from './recording/recording.ts';
export type { Recurrence } from './schedule/instants.ts';
export { instantsAfter } from './schedule/instants.ts';
export { shownTimes } from './schedule/times.ts';
export type { SchemaError } from './schema/explainErrors.ts';
export type { InputsResult } from './schema/inputs.ts';
export { validateInputs } from './schema/inputs.ts';
export { typescriptOf } from './schema/typescript.ts';
export type { Validate, Validator } from './schema/validator.ts';
export { soundSchema } from './schema/soundSchema.ts';
export type { SoundSchema, TrustedPart } from './schema/soundSchema.ts';
export { usableSchema } from './schema/usableSchema.ts';
export type { OfferedSchema } from './schema/offeredSchema.ts';
export { offeredInput, offeredOutput } from './schema/offeredSchema.ts';
export { validator } from './schema/validator.ts';
export type { FitVerdict } from './fit/verdict.ts';
export { argumentErrors } from './servers/argumentErrors.ts';
export { effectOfStep, toolEffectOf } from './effectOfStep.ts';
export { answeringBlocks, blocksOf, innerBlocks, rootBlocks, stepsIn, stepsOf } from './blocksOf.ts';
export { effectStrength, strongerEffect } from './servers/shownEffect.ts';
export type { CallReport, CheckReport, ReferenceReport } from './servers/callReport.ts';
export type { ServerOffer, OfferedPrompt, OfferedTool, ServerOffers, ToolHints } from './servers/offer.ts';
export { promptSchema } from './servers/promptSchema.ts';
export type { SecretBinding, SecretUse } from './servers/secretBinding.ts';
export { whyNotUsed } from './servers/secretBinding.ts';
export type { CallTarget } from './servers/targets.ts';
export { childrenOf, targetsOf } from './servers/targets.ts';
export { excerpt } from './source/excerpt.ts';
export { didYouMean, nearest } from './source/nearest.ts';
export { childOf, pointerTo } from './source/pointer.ts';
export { Source } from './source/source.ts';
