import { toString as inWords } from 'cronstrue';

/** Describes cron in words, such as `At 06:00`; of other times, and where that is not possible, the text itself. */
export function timesWords(times: string): string {
  try {
    return /^(every|at) /.test(times) ? times : inWords(times, { use24HourTimeFormat: true, verbose: false });
  } catch {
    return times;
  }
}
