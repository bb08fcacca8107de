/** What is wrong, as `baton check` says it, with the place that an editor marks. */
import type { Diagnostic } from '../yaml/document.ts';
import type { TextReading } from './reading/reading.ts';

export const diagnose = ({ document, problems }: TextReading): Diagnostic[] => document.diagnostics(problems);
