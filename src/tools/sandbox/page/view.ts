/** The part of the inbox on one page. It is the query of the page's URL. */
export interface InboxView {
  readonly search: string
  /** From 1. */
  readonly page: number
  readonly isCompact: boolean
}

export function readView(url: string): InboxView {
  const query = new URL(url, 'http://sandbox').searchParams
  const page = Number(query.get('page') ?? 1)
  return {
    search: (query.get('q') ?? '').trim(),
    page: Number.isSafeInteger(page) && page >= 1 ? page : 1,
    isCompact: query.get('view') === 'compact',
  }
}

/** Returns the URL of a changed view. A change of the search or the form returns to the first page. */
export function viewUrl(view: InboxView, change: Partial<InboxView> = {}): string {
  const { search, page, isCompact } = { ...view, page: 1, ...change }
  const query = new URLSearchParams({
    ...(search !== '' && { q: search }),
    ...(page > 1 && { page: String(page) }),
    ...(isCompact && { view: 'compact' }),
  }).toString()
  return query === '' ? '/' : `/?${query}`
}
