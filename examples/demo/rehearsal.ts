import type { RehearsalOptions } from 'express-two-factor/testing'
import type { Accounts } from './accounts.js'

interface Customer {
  readonly name: string
  readonly password: string
  readonly phone: string
}

/** Plan for `rehearse`: the people of the bank, their sign-in, and the actions that need a code. */
export function rehearsalOf(accounts: Accounts): Omit<RehearsalOptions<Customer>, 'app' | 'sandbox'> {
  const customer = (index: number): Customer => ({
    name: `customer-${index}`,
    password: `sesame-${index}`,
    phone: `+57302${String(index).padStart(7, '0')}`,
  })
  return {
    person(index) {
      const person = customer(index)
      accounts.open(person, [{ what: 'Salary', amount: 1_652 }])
      return person
    },
    signIn: (agent, { name, password }) => agent.post('/password', { name, password }),
    pages: ['/account'],
    account: '/security',
    actions: [
      {
        name: 'transfer',
        path: '/transfer',
        body: { amount: '5', payee: 'Luis' },
        changed: { amount: '999', payee: 'Eve' },
      },
      { name: 'settings', path: '/settings', body: { email: 'ana@example.net' }, repeatable: true },
    ],
    state: ({ name }) => {
      const { movements = [], email } = accounts.find(name) ?? {}
      return { movements, email }
    },
    signOut: { name: 'sign-out', path: '/logout' },
    signUp: {
      path: '/signup/phone',
      account: { name: 'account', path: '/signup', body: ({ name, password }) => ({ name, password }) },
      newcomer: (index) => customer(1_000_000 + index),
      nameField: 'name',
    },
  }
}
