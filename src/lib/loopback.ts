/** Whether only this machine is reached under a host name or an address, also one in the brackets of a URL. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|::1|\[::1\]|127(?:\.\d+){3})$/.test(host)
}
