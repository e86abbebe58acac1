export interface Account {
  readonly name: string
  readonly password: string
  readonly phone: string
  email: string
}

/** Who banks here: one account to begin with, as many more as sign up. */
export interface Accounts {
  find(name: string | undefined): Account | undefined
  add(account: Account): void
}

export function createAccounts(): Accounts {
  const accounts = new Map<string, Account>()
  const add = (account: Account) => void accounts.set(account.name, account)
  add({ name: 'ana', password: 'sesame', phone: '+573001234567', email: 'ana@example.com' })
  return { add, find: (name) => accounts.get(name ?? '') }
}

/** The member of a body that is a text, be it a form or JSON. */
export function textOf(body: unknown, member: string): string | undefined {
  const value = Object(body)[member]
  return typeof value === 'string' ? value : undefined
}
