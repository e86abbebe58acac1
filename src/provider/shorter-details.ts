import type { Details } from '../challenge/exchange/code-provider.js'

type Rows = Details['rows']

const maxLength = 30
const minLength = 12

const omitted = ['...', ''] as const

/**
 * Returns ever shorter details for a text: everything, then fewer rows with the amount and the payee as the last ones,
 * then a cut payee and title, and finally nothing. The app writes the labels, so no visitor chooses which rows stay.
 * Omitted rows stay bound to the code and are shown on the page.
 */
export function* shorterDetails({ title, rows }: Details): Generator<Details | undefined> {
  const order = byWeight(rows)
  const amount = rows[order[0] ?? 0]
  const untitled = (count: number, length: number): Details => ({
    rows: only(rows, order.slice(0, count)).map((row) => {
      const [label, value] = row
      // Without its last digits it would be a different amount.
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

/** Returns the indexes of the rows: the amount, the payee, then the others in the order of the app. */
function byWeight(rows: Rows): readonly number[] {
  const first = Object.values(wordsFor).map((words) => rows.findIndex(([label]) => isNamed(label, words)))
  return [...new Set([...first, ...rows.keys()])].filter((index) => index !== -1)
}

function isNamed(label: string, words: string): boolean {
  const plain = label.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.split(/[^a-z]+/).some((word) => words.split(' ').includes(word))
}

/** Returns these rows in their order, with a mark for omitted rows. */
function only(rows: Rows, kept: readonly number[]): Rows {
  const left = rows.map((row, index) => (kept.includes(index) ? row : omitted))
  return left.filter((row, index) => row !== omitted || left[index - 1] !== omitted)
}

/**
 * Cuts a value. Values come from the visitor: a line break could forge the last line, which phones fill in
 * automatically, and a long value would be billed as many parts (SMS pumping).
 */
function cut(value: string, length: number): string {
  const line = value.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  const letters = [...line]
  return letters.length <= length ? line : `${letters.slice(0, length - 3).join('')}...`
}
