/** Common schedules, described in words. */
export const cronPresets: readonly { readonly cron: string; readonly about: string }[] = [
  { cron: '*/5 * * * *', about: 'every five minutes' },
  { cron: '0 * * * *', about: 'every hour' },
  { cron: '0 6 * * *', about: 'every day at 6:00' },
  { cron: '0 6 * * 1-5', about: 'Monday to Friday at 6:00' },
  { cron: '0 9 * * 1', about: 'every Monday at 9:00' },
  { cron: '0 0 1 * *', about: 'on the first of each month' },
  { cron: '0 0 1 1 *', about: 'once a year, on 1 January' },
];
