/** Returns a different code of equal length. */
export const wrongCode = (code: string): string => code.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
