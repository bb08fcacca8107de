import { toString as inWords } from 'cronstrue';

/** `At 06:00`. The author's own text where it is no cron that words exist for. */
export function cronWords(cron: string): string {
  try {
    return inWords(cron, { use24HourTimeFormat: true, verbose: false });
  } catch {
    return cron;
  }
}
