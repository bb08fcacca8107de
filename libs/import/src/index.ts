/**
 * Import: workflows of n8n and of GitHub Actions, as workflows of Baton.
 *
 *   importText(text, system, name)   the workflow, a finding for all that has no counterpart, and the servers it needs
 *
 * Pure: text in, a workflow out. Nothing is guessed: an expression that has no counterpart becomes `notImported(…)`,
 * which does not check until the author replaces it.
 */

export { importText, systemOf } from './importText.ts';
export type { ForeignSystem, ImportedText } from './importText.ts';
