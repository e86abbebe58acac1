/** A file that browsers load, by its name. The build inserts its text. */
declare module 'served:*' {
  export const text: string
}
