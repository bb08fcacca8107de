/** The offline check, with the failure codes of all of Baton. */
import { failureCodes } from '@baton/engine';
import { type ParsedWorkflow, checkWorkflow } from '@baton/language';

export const checkFile = (name: string, text: string): ParsedWorkflow =>
  checkWorkflow(text, { file: name, failureCodes: Object.keys(failureCodes), nowMs: Date.now() });
