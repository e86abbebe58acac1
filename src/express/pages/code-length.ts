/**
 * Returns the length of every code if the pattern is one class of characters with a count, as `calibrate` prints it.
 */
export function fixedLength({ source }: RegExp): number | undefined {
  const [, length] = /^\^(?:\\d|\[[^\]]+\])\{(\d+)\}\$$/.exec(source) ?? []
  return length === undefined ? undefined : Number(length)
}
