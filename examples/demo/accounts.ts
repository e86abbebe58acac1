export interface Movement {
  readonly what: string
  /** In dollars. */
  readonly amount: number
}

export interface Account {
  readonly name: string
  readonly password: string
  /** Preferred number first. */
  numbers: readonly string[]
  /** Secret of the authenticator app. */
  app?: string | undefined
  email: string
  /** Newest first. */
  readonly movements: Movement[]
  /** Hashes of the unused recovery codes. */
  recoveryHashes: Set<string>
  /** Time of the last success of each factor, by number or method. */
  readonly usedAt: Record<string, number>
}

type Newcomer = Pick<Account, 'name' | 'password'> & { readonly phone: string }

/** Accounts of the bank: one at the start, and those that sign up. */
export interface Accounts {
  find(name: string | undefined): Account | undefined
  open(person: Newcomer, movements?: Movement[]): void
  /** Removes an unused recovery code, and returns whether it existed. */
  useRecoveryCode(name: string, hash: string): boolean
  noteUse(name: string, way: string, at: number): void
}

export function createAccounts(): Accounts {
  const accounts = new Map<string, Account>()
  const demo: Accounts = {
    find: (name) => accounts.get(name ?? ''),
    open({ name, password, phone }, movements = []) {
      const email = `${name}@example.com`
      const account = {
        name,
        password,
        numbers: [phone],
        email,
        movements,
        recoveryHashes: new Set<string>(),
        usedAt: {},
      }
      accounts.set(name, account)
    },
    useRecoveryCode: (name, hash) => accounts.get(name)?.recoveryHashes.delete(hash) ?? false,
    noteUse: (name, way, at) => Object.assign(accounts.get(name)?.usedAt ?? {}, { [way]: at }),
  }
  demo.open({ name: 'ana', password: 'sesame', phone: '+573001234567' }, [
    { what: 'Bakery', amount: -12 },
    { what: 'Rent', amount: -640 },
    { what: 'Salary', amount: 1_652 },
  ])
  return demo
}

export function balanceOf({ movements }: Account): number {
  return movements.reduce((sum, { amount }) => sum + amount, 0)
}

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

export function money(amount: number): string {
  return dollars.format(amount)
}

/** Returns a member of a form or JSON body, if it is a string. */
export function textOf(body: unknown, member: string): string | undefined {
  const value = Object(body)[member]
  return typeof value === 'string' ? value : undefined
}
