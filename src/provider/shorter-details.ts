import type { Details } from '../challenge/exchange/code-provider.js'

type Rows = Details['rows']

const maxLength = 30
const minLength = 12

const omitted = ['...', ''] as const

/**
 * What a text can say of an action, from most to least: all of it; fewer rows, of which the amount and the payee go
 * last; then the payee cut, and the title; at last nothing. Labels are the host's, so no visitor chooses what is kept.
 * What is left out stays bound to the code all the same, and is on the page.
 */
export function* shorterDetails({ title, rows }: Details): Generator<Details | undefined> {
  const order = byWeight(rows)
  const amount = rows[order[0] ?? 0]
  const untitled = (count: number, length: number): Details => ({
    rows: only(rows, order.slice(0, count)).map((row) => {
      const [label, value] = row
      // Without its last digits it would be another amount.
      const room = row === amount ? maxLength : length
      return [cut(label, room), cut(value, room)]
    }),
  })
  const titled = (count: number, length: number): Details => ({
    ...(title !== undefined && { title: cut(title, length) }),
    ...untitled(count, length),
  })

  for (let count = rows.length; count > 2; count -= 1) yield titled(count, maxLength)
  for (let length = maxLength; length >= minLength; length -= 1) yield titled(2, length)
  yield untitled(2, minLength)
  yield untitled(1, maxLength)
  yield undefined
}

const wordsFor = {
  amount: 'amount total sum price importe monto valor precio montante quantia preco',
  payee: 'to payee recipient beneficiary para destinatario destino beneficiario favorecido recebedor',
}

/** Indexes of the rows: the amount, the payee, then the others as the host has them. */
function byWeight(rows: Rows): readonly number[] {
  const first = Object.values(wordsFor).map((words) => rows.findIndex(([label]) => isNamed(label, words)))
  return [...new Set([...first, ...rows.keys()])].filter((index) => index !== -1)
}

function isNamed(label: string, words: string): boolean {
  const plain = label.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.split(/[^a-z]+/).some((word) => words.split(' ').includes(word))
}

/** These rows in their own order, and a mark where others stood. */
function only(rows: Rows, kept: readonly number[]): Rows {
  const left = rows.map((row, index) => (kept.includes(index) ? row : omitted))
  return left.filter((row, index) => row !== omitted || left[index - 1] !== omitted)
}

/**
 * Values come from the visitor. A line break would let one forge the last line, which phones fill in by
 * themselves; a long one would be billed as many parts (SMS pumping).
 */
function cut(value: string, length: number): string {
  const line = value.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  const letters = [...line]
  return letters.length <= length ? line : `${letters.slice(0, length - 3).join('')}...`
}
