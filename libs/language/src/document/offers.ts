/**
 * What an editor can offer for a value, where the schema alone does not say it: names that are known elsewhere. It is in
 * the metadata of the schemas as `offers`, so that a key and what is offered for it are declared in one place.
 */
export type Offers =
  | 'tool'
  | 'prompt'
  | 'server'
  | 'uri'
  | 'workflow'
  | 'secret'
  | 'code'
  | 'sibling'
  | 'cron'
  | 'timezone'
  | 'duration'
  /** Bare CEL. */
  | 'condition'
  /** What the tool, the prompt, the template or the workflow takes that the step names. */
  | 'arguments'
  /** The inputs of this workflow. */
  | 'inputs'
  /** What the form of the question asks for. */
  | 'answer'
  /** JSON Schema, or properties alone. */
  | 'schema';
