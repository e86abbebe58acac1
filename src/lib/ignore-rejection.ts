/** For a value that must be no promise: where it is one all the same, its rejection must not end the process. */
export function ignoreRejection(value: unknown): void {
  if (typeof Object(value).then === 'function') Promise.resolve(value).catch(() => undefined)
}
