/** Formats a finding as a workflow command of GitHub Actions, which shows it beside the line in a pull request. */
import type { Finding } from '@baton/language';

export function githubLine({ severity, line, column, code, message, hint }: Finding, file: string): string {
  const at = `file=${property(file)},line=${line},col=${column},title=${property(code)}`;
  return `::${severity} ${at}::${data(hint === undefined ? message : `${message}\nhint: ${hint}`)}`;
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
