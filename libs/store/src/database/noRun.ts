/** Smaller than the id of any run: a look that pages in order of ids begins after it. */
export const noRun = '00000000-0000-0000-0000-000000000000';
