/** The offline check, with what the whole of Baton knows: the codes that failures can have. */
import { failureCodes } from '@baton/engine';
import type { ParsedWorkflow } from '@baton/language';
import { checkWorkflow } from '@baton/language';

export const checkFile = (name: string, text: string): ParsedWorkflow =>
  checkWorkflow(text, { file: name, failureCodes: Object.keys(failureCodes) });
