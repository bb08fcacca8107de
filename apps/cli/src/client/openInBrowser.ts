/** Hands an address to the browser of the person at this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** False where this machine has nothing to open it with. */
export async function openInBrowser(address: string): Promise<boolean> {
  const [command, ...first] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...first, address], { stdio: 'ignore', detached: true });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch {
    // It is not installed.
    return false;
  }
}
