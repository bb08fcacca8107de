/**
 * The `models` part of mcp.json: the providers that answer `sample` steps.
 *
 * These schemas are the single source of the parser, the types and the reference page.
 */
import { compilePattern } from '@baton/expressions';
import { z } from 'zod';

/** Ratings of a model from 0 to 1, for `modelPreferences`. A missing rating counts as 0.5. */
const Ratings = z.strictObject({
  /** 1: the cheapest. */
  cheapness: z.number().min(0).max(1).optional(),
  speed: z.number().min(0).max(1).optional(),
  intelligence: z.number().min(0).max(1).optional(),
});

/** US dollars per million tokens. */
const Price = z.strictObject({ input: z.number().min(0), output: z.number().min(0) });

const Model = z.strictObject({
  ratings: Ratings.default({}),
  price: Price.optional(),
  /** For requests that do not set it. */
  maxTokens: z.int().min(1).optional(),
});

const ModelId = z.string().min(1).max(200);

const common = {
  /** The provider's own default. Absent: the first of `models`. */
  model: ModelId.optional(),
  /** Its models: a list of names, or a map from names to settings. */
  models: z
    .union([
      z.array(ModelId).transform((ids) => Object.fromEntries(ids.map((id) => [id, {}]))),
      z.record(ModelId, Model),
    ])
    .pipe(z.record(ModelId, Model))
    .default({}),
};

/** May refer to `${secret:NAME}` and `${env:NAME}`. */
const Reference = z.string().min(1).max(8_192);

const remote = {
  ...common,
  apiKey: Reference.optional(),
  headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of a header'), Reference).default({}),
};

const Anthropic = z.strictObject({ kind: z.literal('anthropic'), url: Reference.optional(), ...remote });

const OpenAI = z.strictObject({
  kind: z.literal('openai'),
  url: Reference.optional(),
  /** Which of OpenAI's two APIs to use. */
  api: z.enum(['responses', 'chat']).default('responses'),
  ...remote,
});

const OpenAICompatible = z.strictObject({
  kind: z.literal('openai-compatible'),
  url: Reference,
  /** Whether it takes a JSON Schema as `response_format`. If not, Baton describes the type in words. */
  structuredOutputs: z.boolean().default(false),
  ...remote,
});

const Pattern = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    const compiled = compilePattern(text);
    if (typeof compiled === 'string') context.addIssue({ code: 'custom', message: compiled });
  });

/**
 * The scripted model's answer to a request whose last message contains `match` and fits `pattern`; without either, to any
 * request.
 */
const Rule = z
  .strictObject({
    /** Case does not matter. */
    match: z.string().min(1).optional(),
    /** A regular expression in RE2's syntax. */
    pattern: Pattern.optional(),
    text: z.string().optional(),
    json: z.json().optional(),
    fail: z.enum(['unavailable', 'refused']).optional(),
  })
  .refine(
    ({ text, json, fail }) => [text, json, fail].filter((one) => one !== undefined).length === 1,
    'expected one of "text", "json" and "fail"',
  );

const Scripted = z.strictObject({
  kind: z.literal('scripted'),
  ...common,
  model: ModelId.default('scripted'),
  rules: z.array(Rule).max(1_000).default([]),
});

const Provider = z
  .discriminatedUnion('kind', [Anthropic, OpenAI, OpenAICompatible, Scripted])
  .refine(
    ({ model, models }) => model !== undefined || Object.keys(models).length > 0,
    'expected "model", or "models"',
  );

export const ModelsConfig = z
  .strictObject({
    /** A provider's name, or `provider/model`. Absent: the first provider. */
    default: z.string().min(1).optional(),
    providers: z
      .record(z.string().regex(/^[\w-]+$/, 'expected a name of letters, digits, - and _'), Provider)
      .default({}),
  })
  .superRefine(({ default: name, providers }, context) => {
    if (name === undefined || isConfigured(name, providers)) return;
    const message = `expected one of ${Object.keys(providers).join(', ')}, alone or as provider/model`;
    context.addIssue({ code: 'custom', path: ['default'], message });
  });

export type ModelsConfig = z.infer<typeof ModelsConfig>;
export type ProviderConfig = z.infer<typeof Provider>;
export type ScriptedRule = z.infer<typeof Rule>;
export type ModelConfig = z.infer<typeof Model>;

function isConfigured(name: string, providers: Readonly<Record<string, ProviderConfig>>): boolean {
  if (Object.hasOwn(providers, name)) return true;
  const slash = name.indexOf('/');
  const provider = slash < 0 ? undefined : providers[name.slice(0, slash)];
  const model = name.slice(slash + 1);
  return provider !== undefined && (provider.model === model || Object.hasOwn(provider.models, model));
}
