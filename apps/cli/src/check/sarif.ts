/** Formats findings as SARIF 2.1.0 (OASIS), for code scanning and editors. */
import { pathToFileURL } from 'node:url';

import { type Finding, findingCodes } from '@baton/language';
import { type Json, type JsonObject, withHint } from '@baton/primitives';

import { version } from '../version.ts';
import type { CheckedFile } from './checkedFile.ts';

export function sarifOf(files: readonly CheckedFile[]): Json {
  const codes = [...new Set(files.flatMap(({ findings }) => findings.map(({ code }) => code)))].toSorted();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'baton', version, rules: codes.map(ruleOf) } },
        columnKind: 'unicodeCodePoints',
        results: files.flatMap(({ name, findings }) => findings.map((one) => resultOf(one, name, codes))),
      },
    ],
  };
}

function ruleOf(code: string): JsonObject {
  const means = Object.hasOwn(findingCodes, code) ? findingCodes[code as keyof typeof findingCodes].means : code;
  return { id: code, shortDescription: { text: means } };
}

function resultOf(
  { code, severity, message, hint, line, column, path }: Finding,
  file: string,
  codes: string[],
): JsonObject {
  const region = { startLine: line, startColumn: column };
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: withHint(message, hint) },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uriOf(file) }, region },
        logicalLocations: [{ fullyQualifiedName: path }],
      },
    ],
  };
}

/** Relative to the working folder, as code scanning requires; percent-encoded. */
const uriOf = (file: string): string =>
  file.startsWith('/') ? pathToFileURL(file).href : file.split(/[\\/]/).map(encodeURIComponent).join('/');
