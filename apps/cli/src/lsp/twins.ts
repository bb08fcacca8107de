/** Finds the file that has the same workflow as an open one, as `check` does for a folder. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Diagnostic } from 'vscode-languageserver/node';

import { twinsOf } from '../check/twinsOf.ts';
import type { WorkflowFile } from '../workflowFiles.ts';
import { diagnosticOf } from './convert.ts';

/** The name of the workflow, cheap enough for each keystroke; undefined if none is seen. */
export const nameIn = (text: string): string | undefined =>
  /^[ \t{]*["']?workflow["']?[ \t]*:[ \t]*["']?([^\s"',#}]+)/m.exec(text)?.[1];

/** `folder`: a path; names of files are relative to it. */
export function twinDiagnostics(
  document: TextDocument,
  others: readonly TextDocument[],
  folder: string | undefined,
): Diagnostic[] {
  const name = nameIn(document.getText());
  const same = name === undefined ? [] : others.filter((other) => nameIn(other.getText()) === name);
  const own = fileOf(document, folder);
  // The later file has the finding: here that is the one that is open.
  const twin = twinsOf([...same.map((other) => fileOf(other, folder)), own]).get(own.name);
  return (twin?.findings ?? []).map((finding) => {
    const start = document.offsetAt({ line: finding.line - 1, character: finding.column - 1 });
    const length = /^[^\s#,}]*/.exec(document.getText().slice(start))?.[0].length ?? 0;
    return diagnosticOf(document, { ...finding, span: [start, start + length] });
  });
}

function fileOf(document: TextDocument, folder: string | undefined): WorkflowFile {
  const text = document.getText();
  if (!document.uri.startsWith('file:')) return { name: document.uri, text };
  const path = fileURLToPath(document.uri);
  return { name: folder === undefined ? path : relative(folder, path), path, text };
}
