/** Reads and writes the address of the Baton of a data folder: a file in the folder, which exists while Baton runs. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const addressFile = (dataFolder: string): string => join(dataFolder, 'address');

/** Host names that stand for every address of a machine. */
const everywhere = new Set(['0.0.0.0', '[::]']);

/** `url`: the address that the orchestrator reports. Resolves to a function that removes the file. */
export async function writeAddress(dataFolder: string, url: string): Promise<() => Promise<void>> {
  const address = new URL(url);
  if (everywhere.has(address.hostname)) address.hostname = '127.0.0.1';
  const file = addressFile(dataFolder);
  await writeFile(file, `${address.origin}\n`, { mode: 0o600 });
  return () => rm(file, { force: true });
}

/** Undefined if no Baton runs on the folder, or its file cannot be read. */
export async function readAddress(dataFolder: string): Promise<string | undefined> {
  try {
    const address = (await readFile(addressFile(dataFolder), 'utf8')).trim();
    return URL.canParse(address) ? address : undefined;
  } catch {
    // The key of such a folder is unreadable too, and reading the key reports that.
    return undefined;
  }
}
