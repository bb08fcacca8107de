/** Runs all tasks, one after the other. Rejects at the end with the first error. */
export async function runEach(all: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all) await one().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
