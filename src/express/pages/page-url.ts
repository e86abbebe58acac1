/** What ties a page to the request that led to it. */
export interface Carried {
  readonly requirement?: string | undefined
  readonly purpose?: string | undefined
  readonly returnTo?: string | undefined
  /** The form that waits to be posted again. */
  readonly formId?: string | undefined
  /** The page of this method in place of the code by phone. */
  readonly method?: 'recovery-code' | undefined
}

export function pageUrl(base: string, carried: Carried): string {
  const { requirement, purpose, returnTo, formId, method } = carried
  const query = new URLSearchParams()
  if (requirement !== undefined) query.set('requirement', requirement)
  if (purpose !== undefined) query.set('purpose', purpose)
  if (returnTo !== undefined) query.set('returnTo', returnTo)
  if (formId !== undefined) query.set('form', formId)
  if (method !== undefined) query.set('method', method)
  // Mounted at the root, the base is empty, and an empty Location leads nowhere.
  const path = base === '' ? '/' : base
  return query.size === 0 ? path : `${path}?${query}`
}
