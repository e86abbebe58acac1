import { isError } from '../../../lib/realms.js'
import { attacks } from './attacks.js'
import type { RehearsalRow } from './contract.js'
import { faults } from './faults.js'
import { judgements } from './leaks.js'
import { curlLine } from './report.js'
import type { Attack, Stage } from './stage.js'
import { Fell, NotTried } from './verdicts.js'
import { BudgetError, type RehearsalRequest } from './wire.js'

/** Runs the rows in their order. */
export async function attackAll(stage: Stage): Promise<readonly RehearsalRow[]> {
  const { only } = stage.options
  // Rows on secrets and warnings judge all traffic. Without traffic they would always hold.
  const isAll = only === undefined || judgements.some(({ code }) => only.includes(code))
  const [signIn, ...others] = attacks
  const asked = others.filter((one) => isAll || only.includes(one.code))
  const tellers = new Map<string, string>()
  const first = await rowOf(signIn, stage, tellers)
  if (stage.ear.codes.size === 0) {
    const why = 'no code arrived in this sandbox, so the address may belong to another app'
    return [first, ...asked.map((one) => ({ ...notTried(one, why), under: signIn.code }))]
  }
  // A silent provider takes time, so this row runs in parallel with all others.
  const inTrouble = asked.includes(faults) && rowOf(faults, stage, tellers)
  // The row may fail before or after the other rows end.
  if (inTrouble) inTrouble.catch(() => {})
  const rows = [first]
  for (const [at, attack] of asked.entries()) {
    const row = await ((attack === faults && inTrouble) || rowOf(attack, stage, tellers))
    rows.push(row)
    if (!stage.isOver()) continue
    const left = asked.slice(at + 1)
    return [...rows, ...left.map((one) => ({ ...notTried(one, row.tried), under: row.under ?? row.code }))]
  }
  return rows
}

/**
 * Returns the first reason why the rows prove too little, although none fell. The reason that ended the rehearsal comes
 * first.
 */
export function hindranceOf(rows: readonly RehearsalRow[]): string | undefined {
  if (rows.some(({ verdict }) => verdict === 'fell')) return undefined
  const row = rows.find(({ verdict, lacks }) => verdict === 'not tried' && lacks === undefined)
  return row && `${row.code}: ${row.tried}`
}

/** Rows that also fall by an action or a page that needs no code: their own fix would then mislead. */
const needClosedTargets: ReadonlySet<string> = new Set([
  ...['changed', 'twice', 'of-another', 'session-renewal', 'other-session', 'same-browser', 'sign-out'],
  'password-change',
])

/** Names an action or a page in a request. The paths of two people differ in numbers. */
const targetOf = ({ method, path }: RehearsalRequest): string =>
  `${method} ${path.split('?', 1).join().replaceAll(/\d+/g, '1')}`

/** `tellers`: the row that reports a mistake, or an obstacle, that several rows share. */
async function rowOf(attack: Attack, stage: Stage, tellers: Map<string, string>): Promise<RehearsalRow> {
  const { code, claim, fix, docs } = attack
  const under = (what: string) => {
    const teller = tellers.get(what)
    if (teller === undefined) tellers.set(what, code)
    return teller === undefined ? {} : { under: teller }
  }
  let tried = ''
  try {
    const seen = await attack.run(stage, (what) => {
      tried = what
    })
    return { code, claim, tried, seen, verdict: 'held' }
  } catch (error) {
    if (error instanceof Fell) {
      const { request, mistake } = error
      const repeat = request && { repeat: curlLine(stage.origin, request) }
      const target = request && targetOf(request)
      if (mistake !== undefined && target !== undefined && !tellers.has(target)) tellers.set(target, code)
      const cause = target !== undefined && needClosedTargets.has(code) ? tellers.get(target) : undefined
      const also = mistake === undefined ? cause && { under: cause } : under(mistake)
      const change = { fix: error.fix ?? fix, docs: error.docs ?? docs }
      return { code, claim, tried, seen: error.message, verdict: 'fell', ...change, ...repeat, ...also }
    }
    // The plan is wrong, not the app.
    if (error instanceof TypeError && Reflect.get(error, 'code') === 'ERR_TWO_FACTOR_OPTION') throw error
    const { lacks } = error instanceof NotTried ? error.more : {}
    if (lacks !== undefined) return { ...notTried(attack, (error as Error).message), lacks }
    const isOurs = error instanceof NotTried || error instanceof BudgetError
    const why = isError(error) ? error.message : String(error)
    if (error instanceof BudgetError) stage.end()
    const told = isOurs ? why : `the attack failed to run: ${why}`
    return { ...notTried(attack, told), ...under(told) }
  }
}

function notTried({ code, claim }: Attack, why: string): RehearsalRow {
  return { code, claim, tried: why, seen: '', verdict: 'not tried' }
}
