import type { JsonSchema } from '@baton/primitives';

import type { OfferedPrompt } from './offer.ts';

/** The schema of a prompt's arguments. They are texts; every other value becomes one. */
export const promptSchema = ({ arguments: list }: Pick<OfferedPrompt, 'arguments'>): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(list.map(({ name }) => [name, {}])),
  required: list.flatMap(({ name, required }) => (required === true ? [name] : [])),
  additionalProperties: false,
});
