/**
 * What a workflow computes with: expressions, types, JSON Schemas, strict JSON, and places in a text.
 *
 * Pure: a text or a value in, a value or an explanation out. It knows no workflow, step, file or server, and answers
 * every input in bounded time and memory.
 *
 * Folders, lowest first: source, json, pattern, expression, schema.
 */
export { type Edition, editionNow } from './edition.ts';
export { EvaluationError } from './evaluationError.ts';
export { accessText, textOf } from './expression/accessText.ts';
export { interpolated, literal, member, written } from './expression/celText.ts';
export { compileCondition } from './expression/condition.ts';
export { describeValue } from './expression/describeValue.ts';
export { Evaluation } from './expression/evaluation.ts';
export type { EvaluationCost, Expression, References, Scope, Template } from './expression/expression.ts';
export { foreignFunctions, foreignHint } from './expression/foreignFunctions.ts';
export { binding } from './expression/forms.ts';
export { type FunctionSpec, signatureOf } from './expression/function.ts';
export { functionExamples } from './expression/functionExamples.ts';
export { functions, macros, namespaces } from './expression/functions.ts';
export { instantFault } from './expression/functions/parseTime.ts';
export { zonesNear } from './expression/functions/timeZone.ts';
export { wallClock } from './expression/functions/wallClock.ts';
export { type Guards, nullTestsIn, presenceTestsIn, wholeGuard } from './expression/guards.ts';
export { infer } from './expression/infer.ts';
export { fieldHint } from './expression/inferOperator.ts';
export type { InferenceScope } from './expression/inference.ts';
export { LocalTimes } from './expression/localTimes.ts';
export { type ExpressionNode, SyntaxProblem, parse } from './expression/parse.ts';
export { readExpression } from './expression/readExpression.ts';
export { type MemberReference, childrenOf, readingOf } from './expression/references.ts';
export { scan } from './expression/scan.ts';
export { type CompiledSource, compileSource, evaluateIn, readsNothing } from './expression/source.ts';
export { compileMapTemplate, compileTemplate, loneExpression, piecesOf, unclosed } from './expression/template.ts';
export type { TemplatePiece } from './expression/template.ts';
export { type Field, type Type, alternatives } from './expression/type.ts';
export type { ValueKind } from './expression/value.ts';
export type { JsonFault } from './json/jsonFaults.ts';
export { isForbiddenKey } from './json/jsonLimits.ts';
export { parseJsonText } from './json/jsonText.ts';
export { jsonTokens } from './json/jsonTokens.ts';
export { readJson } from './json/readJson.ts';
export { limits } from './limits.ts';
export { metaErrors } from './schema/ajv.ts';
export { type AnswerSchema, answerSchemaOf, typesAnswer, typingArgument } from './schema/answerSchema.ts';
export type { MetaError, SchemaError } from './schema/explainErrors.ts';
export { validateInputs, withDefaults } from './schema/inputs.ts';
export { offeredInput, offeredOutput } from './schema/offeredSchema.ts';
export { compilePattern } from './pattern/pattern.ts';
export { refusalOf } from './schema/schemaCost.ts';
export { resolved, typeOfResult, typeOfSchema } from './schema/schemaType.ts';
export { soundSchema } from './schema/soundSchema.ts';
export { schemaOfType } from './schema/typeSchema.ts';
export { typescriptOf } from './schema/typescript.ts';
export { type UsableSchema, usableSchema } from './schema/usableSchema.ts';
export { type Dialect, type Validate, dialectOf, isUnchecked, validator } from './schema/validator.ts';
export { typeNames, typeSlips, vocabulary } from './schema/vocabulary.ts';
export { schemasIn } from './schema/walk.ts';
export { isShorthand, schemaOf, writtenPointer } from './schema/written.ts';
export { excerpt, quoted } from './source/excerpt.ts';
export { falseSpaceIn } from './source/falseSpace.ts';
export { fitFrame, isCarets } from './source/fitFrame.ts';
export { kindNamed, kindOf } from './source/kind.ts';
export { didYouMean, either, nearest, sharingWords } from './source/nearest.ts';
export { type Segment, childOf, pointerTo, segmentsOf } from './source/pointer.ts';
export { type Position, Source, type Span } from './source/source.ts';
export { subjectOf } from './source/subject.ts';
export { superfluous } from './source/superfluous.ts';
export * as types from './expression/type.ts';
