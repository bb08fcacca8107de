/** Formats the output of `baton check`, for people and for programs. */
import { jsonText } from '../output/json.ts';
import type { Paint } from '../output/output.ts';
import type { CheckedFile } from './checkedFile.ts';
import { plural, totalsOf } from './checkedFile.ts';
import type { CheckFormat } from './checkFormats.ts';
import { findingLines } from './findingLines.ts';
import { githubLine } from './githubLine.ts';
import { sarifOf } from './sarif.ts';

export function formatCheck(files: readonly CheckedFile[], format: CheckFormat, paint: Paint): string {
  switch (format) {
    case 'text':
      return textOf(files, paint);
    case 'json': {
      const findings = files.flatMap(({ name, findings }) => findings.map((one) => ({ ...one, file: name })));
      return jsonText({ ...totalsOf(files), findings });
    }
    case 'github':
      return files.flatMap(({ name, findings }) => findings.map((one) => githubLine(one, name))).join('\n');
    case 'sarif':
      return jsonText(sarifOf(files));
  }
}

function textOf(files: readonly CheckedFile[], paint: Paint): string {
  const { errors, warnings, files: count } = totalsOf(files);
  const found = files.flatMap(({ name, findings }) => findings.map((one) => findingLines(one, name, paint).join('\n')));
  const clean = `${paint.green('✓')} ${plural(count, 'file')}, no errors`;
  const total = `${plural(errors, 'error')}, ${plural(warnings, 'warning')} in ${plural(count, 'file')}`;
  const colour = errors > 0 ? paint.red : paint.yellow;
  return [...found, found.length === 0 ? clean : colour(total)].join('\n\n');
}
