/**
 * Import: converts workflows of n8n and GitHub Actions into workflows of Baton.
 *
 *   importText(text, system, name)   the workflow, a finding for each part without a counterpart, and its servers
 *
 * Pure: text in, a workflow out. It guesses nothing: an expression without a counterpart becomes `notImported(…)`,
 * which fails the check until the author replaces it.
 *
 * Folders, lowest first: expression, github, n8n.
 */

export { importText, systemOf, type ForeignSystem, type ImportedText } from './importText.ts';
