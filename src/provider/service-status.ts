/**
 * Returns whether a response with this HTTP status comes from the service itself. Any other 5xx, and 408, may come from a
 * gateway in front of it while the service acts on the request. 429 refuses the moment, not the request.
 */
export function isFromService(httpStatus: number): boolean {
  if (httpStatus === 200 || httpStatus === 520) return true
  return httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408 && httpStatus !== 429
}
