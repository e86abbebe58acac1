/** A code of the same length that is not this one. */
export const wrongCode = (code: string): string => code.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
