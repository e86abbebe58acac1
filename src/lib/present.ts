type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> }

/** The members that are not undefined; none of an object that is not there. */
export function present<Members extends object>(members: Members | undefined): Present<Members> {
  const entries = Object.entries(members ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Present<Members>
}
