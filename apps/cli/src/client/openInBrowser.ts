/** Opens an address in the browser of this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** False if this machine has no program to open it. */
export async function openInBrowser(address: string): Promise<boolean> {
  const [command, ...first] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...first, address], { stdio: 'ignore', detached: true });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch {
    // The program is not installed.
    return false;
  }
}
