import type { Effect } from '@baton/language';

import type { Call } from './event.ts';

/** The effect of a call that people are shown: never weaker than its server says. Calls other than of tools only read. */
export const shownEffectOf = (call: Call): Effect => (call.verb === 'tool' ? (call.toolEffect ?? call.effect) : 'read');
