/**
 * What an editor can offer for a value beyond its schema: names that are declared elsewhere. Schemas have it in their
 * metadata as `offers`, so a key and its completions are declared in one place.
 */
export type Offers =
  | 'tool'
  | 'event'
  | 'prompt'
  | 'server'
  | 'uri'
  | 'workflow'
  | 'secret'
  | 'code'
  | 'sibling'
  | 'cron'
  /** A duration, from one run to the next. */
  | 'interval'
  | 'pointInTime'
  | 'timezone'
  | 'duration'
  /** Bare CEL. */
  | 'condition'
  /** The arguments of the tool, prompt, template or workflow that the step names. */
  | 'arguments'
  /** The inputs of this workflow. */
  | 'inputs'
  /** The fields of the question's form. */
  | 'answer'
  /** The keys of the state of this workflow. */
  | 'state'
  /** JSON Schema, or properties alone. */
  | 'schema';
