/** What browsers are served, by the name of the file: the build puts its text in its place. */
declare module 'served:*' {
  export const text: string
}
