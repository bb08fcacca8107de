import { toString as inWords } from 'cronstrue';

/** Describes a cron in words, such as `At 06:00`; returns the cron itself if that is not possible. */
export function cronWords(cron: string): string {
  try {
    return inWords(cron, { use24HourTimeFormat: true, verbose: false });
  } catch {
    return cron;
  }
}
