/** The wait in a `Retry-After` header, in whole milliseconds: seconds or a date (RFC 9110, section 10.2.3). */
export function readRetryAfter(header: string | readonly string[] | undefined): number | undefined {
  const value = [header].flat()[0]?.trim() ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  // Date.parse takes nearly anything that begins with a digit; an HTTP date ends in GMT.
  const at = value.endsWith('GMT') ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
