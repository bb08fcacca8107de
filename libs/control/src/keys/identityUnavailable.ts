import { UnavailableError } from '@baton/runner';

/** The identity provider of a person does not answer, and what it said last is too old. The message is for people. */
export class IdentityUnavailableError extends UnavailableError {}
