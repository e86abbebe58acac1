const endings = new Set<() => unknown>()

/** Has `end` called once the test file is over, whatever became of its tests. */
export function atEndOfFile(end: () => unknown): void {
  endings.add(end)
}

/** For `setup.ts`, which runs once per test file: helpers are loaded once for many. */
export async function endLeftovers(): Promise<void> {
  const all = [...endings]
  endings.clear()
  await Promise.all(all.map((end) => end()))
}
