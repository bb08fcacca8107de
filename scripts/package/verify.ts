/** What publint and attw (are the types wrong?) have to say about a packed tarball. */
import { readFileSync } from 'node:fs';

import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** One line for each finding; none where all is well. */
export async function verifyTarball(path: string): Promise<readonly string[]> {
  const bytes = readFileSync(path);
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, level: 'suggestion' });
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  const problems = analysis.types === false ? [] : analysis.problems;
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, pkg)}`),
    ...problems.filter(isForEsm).map((problem) => `attw: ${JSON.stringify(problem)}`),
  ];
}

/** The package is ESM. CommonJS requires it all the same: every Node that it runs on can. */
const isForEsm = (problem: object): boolean =>
  !('kind' in problem && problem.kind === 'CJSResolvesToESM') &&
  !('resolutionKind' in problem && problem.resolutionKind === 'node10');
