import { asMeant } from './as-meant.js'
import { attacks } from './attacks.js'
import type { RehearsalRow } from './contract.js'
import { faults } from './faults.js'
import { judgements } from './leaks.js'
import { curlLine } from './report.js'
import type { Attack, Stage } from './stage.js'
import { Fell, NotTried } from './verdicts.js'
import { BudgetError } from './wire.js'

/** Tries them in their order, each on what those before it have shown. */
export async function attackAll(stage: Stage): Promise<readonly RehearsalRow[]> {
  const { only } = stage.options
  // What is judged by all traffic would hold where there is none.
  const isAll = only === undefined || judgements.some(({ code }) => only.includes(code))
  const [signIn, ...others] = attacks
  const asked = others.filter((one) => isAll || asMeant.includes(one) || only.includes(one.code))
  const leftOn = (await stage.sandbox.faults.list()).filter(({ fault }) => fault.phone === undefined)
  if (leftOn.length > 0) {
    const named = leftOn.map(({ fault: { operation = 'any operation', kind } }) => `${kind} of ${operation}`)
    const why = `the sandbox has faults left on: ${named.join(', ')}`
    return [notTried(signIn, why), ...asked.map((one) => notTried(one, why, signIn))]
  }
  const mistakes = new Map<string, Attack>()
  const first = await rowOf(signIn, stage, mistakes)
  if (stage.ear.codes.size === 0) {
    const why = 'no code arrived in the sandbox that is held, so that the app may be that of somebody else'
    return [first, ...asked.map((one) => notTried(one, why, signIn))]
  }
  // A silent provider takes time, which it may take beside all others.
  const inTrouble = asked.includes(faults) && rowOf(faults, stage, mistakes)
  // It may fail before its turn comes, or after the others have.
  if (inTrouble) inTrouble.catch(() => {})
  const rows = [first]
  for (const attack of asked) {
    rows.push(await ((attack === faults && inTrouble) || rowOf(attack, stage, mistakes)))
  }
  return rows
}

/** Why nobody may rely on the rows, although none fell. */
export function hindranceOf(rows: readonly RehearsalRow[]): string | undefined {
  if (rows.some(({ verdict }) => verdict === 'fell')) return undefined
  const row = rows.find(({ verdict, lacks }) => verdict === 'not tried' && lacks === undefined)
  return row && `${row.code}: ${row.tried}`
}

/** `mistakes`: which row told each of those by which several fall. */
async function rowOf(attack: Attack, stage: Stage, mistakes: Map<string, Attack>): Promise<RehearsalRow> {
  const { code, claim, fix, docs } = attack
  let tried = ''
  try {
    const seen = await attack.run(stage, (what) => {
      tried = what
    })
    return { code, claim, tried, seen, verdict: 'held' }
  } catch (error) {
    if (error instanceof Fell) {
      const { mistake, change = { fix, docs } } = error.more
      const teller = mistake === undefined ? undefined : mistakes.get(mistake)
      if (mistake !== undefined && teller === undefined) mistakes.set(mistake, attack)
      const repeat = error.request && { repeat: curlLine(stage.origin, error.request) }
      const under = teller && { under: teller.code }
      return { code, claim, tried, seen: error.message, verdict: 'fell', ...change, ...repeat, ...under }
    }
    // The plan is wrong, and not the app.
    if (error instanceof TypeError && Reflect.get(error, 'code') === 'ERR_TWO_FACTOR_OPTION') throw error
    if (error instanceof NotTried) return { ...notTried(attack, error.message), ...lacksOf(error) }
    const why = error instanceof Error ? error.message : String(error)
    return notTried(attack, error instanceof BudgetError ? why : `it could not be carried out: ${why}`)
  }
}

const lacksOf = ({ more: { lacks } }: NotTried) => (lacks === undefined ? {} : { lacks })

function notTried({ code, claim }: Attack, why: string, teller?: Attack): RehearsalRow {
  return { code, claim, tried: why, seen: '', verdict: 'not tried', ...(teller && { under: teller.code }) }
}
