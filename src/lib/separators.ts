/**
 * What people, keyboards and clipboards put between the characters of a code or a number: spaces of all kinds,
 * dashes, dots, quotes, and marks that nobody sees.
 */
export const separators = /[\p{Zs}\p{Cf}\p{Pd}.·'"`´‘’“”«»]/gu
