/** The findings of `baton check`, with the range that an editor marks. */
import type { Diagnostic } from '@baton/language';

import type { TextReading } from './reading/reading.ts';

export const diagnose = ({ document, problems }: TextReading): Diagnostic[] => document.diagnostics(problems);
