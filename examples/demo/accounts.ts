export interface Movement {
  readonly what: string
  readonly amount: number
}

export interface Account {
  readonly name: string
  readonly password: string
  readonly phone: string
  email: string
  /** Newest first. */
  readonly movements: Movement[]
}

/** Who banks here: one account to begin with, as many more as sign up. */
export interface Accounts {
  find(name: string | undefined): Account | undefined
  add(account: Account): void
}

export function createAccounts(): Accounts {
  const accounts = new Map<string, Account>()
  const add = (account: Account) => void accounts.set(account.name, account)
  add({
    name: 'ana',
    password: 'sesame',
    phone: '+573001234567',
    email: 'ana@example.com',
    movements: [
      { what: 'Bakery', amount: -12 },
      { what: 'Rent', amount: -640 },
      { what: 'Salary', amount: 1_652 },
    ],
  })
  return { add, find: (name) => accounts.get(name ?? '') }
}

export function balanceOf({ movements }: Account): number {
  return movements.reduce((sum, { amount }) => sum + amount, 0)
}

/** The member of a body that is a string, be it a form or JSON. */
export function textOf(body: unknown, member: string): string | undefined {
  const value = Object(body)[member]
  return typeof value === 'string' ? value : undefined
}
