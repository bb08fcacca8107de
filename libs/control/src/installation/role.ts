/** What a process does: it accepts runs, or it drives them, or both. */
export type Role = 'accept' | 'drive';
