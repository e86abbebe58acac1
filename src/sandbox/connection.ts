/** What a program needs to reach this sandbox. */
export interface Connection {
  readonly baseUrl: string
  /** Path of the operations. */
  readonly basePath: string
  readonly credentials: { readonly client: number; readonly key: string }
  readonly approvedStatuses: readonly string[]
}
