export interface Movement {
  readonly what: string
  /** In dollars. */
  readonly amount: number
}

export interface Account {
  readonly name: string
  readonly password: string
  /** The preferred one first. */
  numbers: readonly string[]
  /** The secret of the authenticator app. */
  app?: string | undefined
  email: string
  /** Newest first. */
  readonly movements: Movement[]
  /** What is kept of the recovery codes that are left. */
  recoveryHashes: Set<string>
  /** When each way last worked, by number or kind. */
  readonly usedAt: Record<string, number>
}

type Newcomer = Pick<Account, 'name' | 'password'> & { readonly phone: string }

/** Who banks here: one account to begin with, as many more as sign up. */
export interface Accounts {
  find(name: string | undefined): Account | undefined
  open(person: Newcomer, movements?: Movement[]): void
  /** Whether that was one of the recovery codes that are left; it is not any more. */
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

/** The member of a body that is a string, be it a form or JSON. */
export function textOf(body: unknown, member: string): string | undefined {
  const value = Object(body)[member]
  return typeof value === 'string' ? value : undefined
}
