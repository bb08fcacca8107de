/** Formats the output of `baton check`, for people and for programs. */
import type { Finding } from '@baton/language';

import { jsonText } from '../output/json.ts';
import type { Paint } from '../output/output.ts';
import { widthOf, plural } from '../output/text.ts';
import { type CheckedFile, totalsOf, type CheckFormat } from './checkedFile.ts';
import { findingLines } from './findingLines.ts';
import { sarifOf } from './sarif.ts';

interface CheckDisplay {
  readonly paint: Paint;
  /** Cells in a row; undefined if lines may have any length. */
  readonly columns?: number | undefined;
  /** The command that checks the tools too, if this check left them out. */
  readonly toolsCheck?: string | undefined;
}

export function formatCheck(files: readonly CheckedFile[], format: CheckFormat, display: CheckDisplay): string {
  switch (format) {
    case 'text':
      return textOf(files, display);
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

function textOf(files: readonly CheckedFile[], { paint, columns, toolsCheck }: CheckDisplay): string {
  const { errors, warnings, files: count } = totalsOf(files);
  const found = files.flatMap(({ name, findings }) =>
    findings.map((one) => findingLines(one, name, { paint, columns }).join('\n')),
  );
  const clean = `${paint.green('✓')} ${plural(count, 'file')}, no errors`;
  const total = `${plural(errors, 'error')}, ${plural(warnings, 'warning')} in ${plural(count, 'file')}`;
  const colour = errors > 0 ? paint.red : paint.yellow;
  // Without errors the line would promise too much.
  const last = found.length === 0 ? clean : colour(total);
  if (errors > 0 || toolsCheck === undefined) return [...found, last].join('\n\n');
  const left = `${last}; tools were not checked:`;
  const isWide = widthOf(`${left} ${toolsCheck}`) > (columns ?? Infinity);
  return [...found, `${left}${isWide ? '\n  ' : ' '}${toolsCheck}`].join('\n\n');
}

/** A workflow command of GitHub Actions, which shows the finding beside the line in a pull request. */
function githubLine({ severity, line, column, code, message, hint }: Finding, file: string): string {
  const at = `file=${property(file)},line=${line},col=${column},title=${property(code)}`;
  return `::${severity} ${at}::${data(hint === undefined ? message : `${message}\nhint: ${hint}`)}`;
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
