/**
 * The workflow language: parse, check, type and compile workflows.
 *
 * Pure: text in, findings and a plan out. It never reads a file, a clock or a server; what servers offer comes in as
 * an argument. It answers every input in bounded time and memory, and reports everything that is wrong.
 *
 * Folders, lowest first: findings, document, fit, schedule, servers, compile, check, yaml, recording, drift.
 */
export { type BlockRole, answeringBlocks, blocksInRole, blocksOf, rootBlocks, stepsIn, stepsOf } from './blocksOf.ts';
export { type CheckedWorkflow, checkDocument } from './check/check.ts';
export type { ExpressionSite, SeenExpression } from './check/checkRun.ts';
export { checkDeclaration, resolveDeclaration } from './check/declaration.ts';
export { cronProblems } from './check/cron.ts';
export { namesAt } from './check/expressions.ts';
export { isHiddenHeader } from './check/hiddenHeaders.ts';
export type { CheckOptions, WorkflowSignature } from './check/options.ts';
export type { CheckScope, StepsInScope } from './check/scope.ts';
export { type StepLocation, frameOf, indexSteps } from './check/stepIndex.ts';
export { formOf } from './check/stepType.ts';
export { compile, compileDeclaredCheck, compileDeclaredUndo } from './compile/compile.ts';
export { compileTriggers, scheduledTimes } from './compile/triggers.ts';
export { triggerTexts } from './compile/triggerTexts.ts';
export type {
  DeviceTrigger,
  EventTrigger,
  PollTrigger,
  RunTrigger,
  ResourceTrigger,
  ScheduleTrigger,
  TriggerPlan,
  WebhookTrigger,
} from './compile/triggers.ts';
export { applyCorrections } from './document/applyCorrections.ts';
export { durationMs, durationText } from './document/duration.ts';
export { type InnerKind, type PlacedStep, casesOf, handlersOf, innerLists, placed, readsOf } from './document/inner.ts';
export { existingFor, servesWorkflow } from './servers/existingFor.ts';
export { installationSchema } from './servers/installationSchema.ts';
export { workflowJsonSchema, workflowShapes } from './document/jsonSchema.ts';
export { type NameForm, forms, isName } from './document/nameForms.ts';
export type { Offers } from './document/offers.ts';
export {
  coversPattern,
  defaultToolName,
  isWorkflowPattern,
  matchesWorkflow,
  projectOf,
  sessionWorkflow,
  workflowNamedIn,
  workflowNameForm,
  workflowNamePattern,
  workflowOfToolName,
  workflowPatternFault,
  workflowPatternForm,
  workflowSelection,
} from './document/workflowNames.ts';
export { type Draft, validParts, whole } from './document/partialDocument.ts';
export { type StepDocument, type VerbName, verbOf, verbs } from './document/step.ts';
export { type TriggerDocument, isScheduled } from './document/triggers.ts';
export { type Workflow, WorkflowSchema } from './document/workflow.ts';
export type { Finding } from './finding.ts';
export { type FindingCode, findingCodes, severityOf } from './findingCodes.ts';
export type { FindingSpec } from './findings/findingSpec.ts';
export { namesOf } from './fit/schemaParts.ts';
export type { ChangedTool } from './drift/changedTool.ts';
export { type Unproven, proveDrift } from './drift/proveDrift.ts';
export { type ForeignText, readForeign } from './foreign.ts';
export { formatFinding } from './formatFinding.ts';
export { effectOfStep, toolEffectOf } from './effectOfStep.ts';
export { languageGuide } from './guide.ts';
export { lineOf, placeOf } from './lineOf.ts';
export {
  asWritten,
  checkWorkflow,
  givenUp,
  outlineOf,
  outputSchemaOf,
  parseWorkflow,
  parsing,
  signatureOf,
} from './parseWorkflow.ts';
export type { OutputSchema, ParsedWorkflow, WorkflowTargets } from './parseWorkflow.ts';
export type {
  AskStep,
  Block,
  Budget,
  Concurrency,
  DecidedEffect,
  CheckPlan,
  Effect,
  EnsureStep,
  FailStep,
  ForEachStep,
  GroupStep,
  KeySupport,
  ParallelStep,
  Plan,
  RepeatStep,
  RetryPolicy,
  SampleStep,
  StatePlan,
  StateStep,
  Step,
  ToolPin,
  ToolSchemas,
  ToolStep,
  Verb,
  WaitStep,
  WorkflowStep,
} from './plan.ts';
export { printWorkflow } from './printWorkflow.ts';
export type { Problem } from './problem.ts';
export { firstLineOf, readForm, tooLargeProblem } from './readDocument.ts';
export { printRecording, readRecording } from './recording/readRecording.ts';
export type { RecordedCall, Recording } from './recording/recording.ts';
export { type Recurrence, instantsAfter } from './schedule/instants.ts';
export { atText, everyText, pointInTime, shownTimes } from './schedule/times.ts';
export { defaultsOf } from './servers/argumentDefaults.ts';
export { argumentErrors } from './servers/argumentErrors.ts';
export { stateErrors, statePlan } from './compile/state.ts';
export { targetOf } from './targetOf.ts';
export { holdsOf, isCallStep, isControlStep, isLoop, isLoopStep, verbTraits } from './verbTraits.ts';
export type { CallStep, ControlStep } from './verbTraits.ts';
export type { CheckReport } from './servers/callReport.ts';
export type {
  Declarations,
  DeclaredCall,
  DeclaredCheck,
  ResolvedDeclaration,
  ToolDeclaration,
} from './servers/declaration.ts';
export { declaredText } from './servers/declaredText.ts';
export { effectStated } from './servers/effectStated.ts';
export type {
  OfferedEvent,
  OfferedPrompt,
  OfferedTool,
  ServerOffer,
  ServerOffers,
  ToolHints,
} from './servers/offer.ts';
export { promptSchema } from './servers/promptSchema.ts';
export { type SecretBinding, type SecretUse, isSecretOf, whyNotUsed } from './servers/secretBinding.ts';
export { effectStrength, shownEffect, strongerEffect } from './servers/shownEffect.ts';
export { splitTarget } from './servers/splitTarget.ts';
export { leavesToDeclared } from './servers/whenUnknown.ts';
export { childrenOf, targetsOf } from './check/targets.ts';
export { variablesOf } from './servers/uriForm.ts';
export { changedTokens } from './yaml/changedTokens.ts';
export { type Diagnostic, Document } from './yaml/document.ts';
export { DocumentReader } from './yaml/documentReader.ts';
export type { BlockMap, Layout } from './yaml/layout.ts';
export { tokenize } from './yaml/tokens.ts';
export { untabbed } from './yaml/untabbed.ts';
// Rooms that read this one for these names.
