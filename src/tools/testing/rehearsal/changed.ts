import { mustAsk, stepUpsOf } from './approval.js'
import type { Fields, RehearsalAction } from './contract.js'
import { codeOf } from './diagnosis.js'
import { stepsUp } from './effects.js'
import { anotherValue, type Leaf, leavesOf, otherValues, withLeaf, withoutLeaf } from './leaves.js'
import { fieldsAgain, fieldsOf, formOf, requestOf, requestWith, requirementIn } from './requests.js'
import { isExactly, isThousandth, showsOnly, showsValue, sumsUp, touches } from './snapshot.js'
import type { Attack, Stage } from './stage.js'
import { capitalsOf, notationsOf } from './variants.js'
import { Fell, fell, NotTried, refused, told, tryEach } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalRequest } from './wire.js'

/** Fields that differ from the approved ones. */
interface Difference {
  readonly what: string
  readonly alter: (fields: Fields) => Fields
  /** Changes the request beside its fields. `fields` are the approved ones. */
  readonly around?: (request: RehearsalRequest, fields: Fields) => RehearsalRequest
  /** Changed values, which the state must not show. */
  readonly values: readonly unknown[]
  /** True if a parser may read the approved action in it: then only another effect is wrong. */
  readonly isLike: boolean
  /** The approved field that has another value. */
  readonly approved?: Leaf | undefined
  /** True if an app may write the approved value in this way, such as in capitals. */
  readonly isNotation?: boolean
}

/** Changes fields between the code for an action and the action. */
export const changedFields: Attack = {
  code: 'changed',
  claim: 'a code covers the action that it was shown for and no other',
  fix: 'give each kind of action a purpose of its own, and return from bind every field that the handler uses, parsed once to one type that both use; list in mayChange the fields that a code need not cover',
  docs: 'docs/reference.md#the-guard',
  async run(stage, tries) {
    const others = await withOnePurpose(stage)
    for (const [one, other] of others) {
      tries(`"${other.name}" with the code for "${one.name}"`)
      await doAnother(stage, one, other)
    }
    const tried: string[] = []
    const actions = stepUpsOf(stage, (one) => one.repeatable !== true || one.changed !== undefined)
    await tryEach(actions, async (action) => {
      const visit = await stage.signedIn()
      const fields = await fieldsOf(action, visit)
      const differences = differencesOf(action, fields)
      if (differences.length === 0) return
      tried.push(action.name)
      tries(`other fields after the code for ${tried.join(', ')}`)
      await changeAfter(stage, action, visit, differences)
      for (const leaf of boundLeaves(action, fields)) await confirmAnother(stage, action, leaf)
    })
    if (tried.length + others.length === 0) {
      throw new NotTried('no action has a field to change', { lacks: 'actions' })
    }
    return 'none was done with other fields, and each was done as confirmed'
  },
}

/**
 * Returns pairs of actions with one purpose: bind must tell them apart. Two actions with one effect may be one action in
 * two notations.
 */
async function withOnePurpose(
  stage: Stage,
): Promise<readonly (readonly [RehearsalAction, RehearsalAction])[]> {
  const shown: { action: RehearsalAction; purpose: string | undefined; changes: string }[] = []
  for (const action of (stage.options.actions ?? []).filter(stepsUp)) {
    const known = await stage.effects.knownOf(action).catch(() => undefined)
    const changes = [...(known?.effect.parts.keys() ?? [])].sort().join()
    if (known !== undefined) shown.push({ action, purpose: known.purpose, changes })
  }
  return shown.flatMap((one) =>
    shown
      .filter(({ action, purpose, changes }) => {
        const isOther = action.state !== one.action.state || changes !== one.changes
        return isOther && purpose === one.purpose && action.repeatable !== true
      })
      .map(({ action }) => [one.action, action] as const),
  )
}

/** Gets the code for one action, and does another action with it. */
async function doAnother(stage: Stage, one: RehearsalAction, other: RehearsalAction): Promise<void> {
  const { effects } = stage
  const visit = await stage.signedIn()
  effects.adopt(visit)
  if ((await effects.approve(visit, await requestOf(one, visit))) === undefined) return
  const { response, isDone } = await effects.attempt(other, visit, await requestOf(other, visit))
  if (isDone) fell(response, `the code was for "${one.name}", and "${other.name}" was done`)
}

const boundLeaves = (
  { mayChange = [], repeatable = false }: RehearsalAction,
  fields: Fields,
): readonly Leaf[] =>
  repeatable ? [] : leavesOf(fields).filter(({ path: [name = ''] }) => !mayChange.includes(name))

function differencesOf(action: RehearsalAction, fields: Fields): readonly Difference[] {
  const { changed = {} } = action
  const leaves = boundLeaves(action, fields)
  const given = Object.entries(changed).map(([name, value]): Leaf => ({ path: [name], value }))
  const made = leaves.flatMap(({ path, value }) =>
    otherValues(value).map((other): Leaf => ({ path, value: other })),
  )
  // The last value of a field is the one that the app most likely accepts.
  const others = [...made, ...given]
  const ofPath = (all: readonly Leaf[], { path }: Leaf) =>
    all.findLast((one) => one.path.join() === path.join())
  const set = (what: string, { path }: Leaf, to: unknown, values: readonly unknown[] = []): Difference => {
    const name = `${what} "${path.join('.')}"`
    return { what: name, alter: (all) => withLeaf(all, path, to), values, isLike: true }
  }
  const inQuery = (leaf: Leaf, value: unknown): NonNullable<Difference['around']> => {
    return (request, all) => ({
      ...request,
      path: `${request.path}?${formOf(withLeaf(all, leaf.path, value))}`,
    })
  }
  return [
    ...[...given, ...made].map((leaf) => ({
      ...set('another', leaf, leaf.value, [leaf.value]),
      ...{ isLike: false, approved: ofPath(leaves, leaf) },
    })),
    // A guard may cover only the number or the sum of the members.
    ...leaves.flatMap((leaf) =>
      oneOfEach(leaf.value).map(({ list, other }) => ({
        ...set('another member of', leaf, list, [other]),
        isLike: false,
      })),
    ),
    ...leaves.flatMap((leaf) => {
      const { path, value } = leaf
      const other = ofPath(others, leaf)?.value
      const more = Array.isArray(value) ? value.slice(-1).map(anotherValue) : []
      const shown = more.flatMap((one) => leavesOf({ one })).map(({ value: inner }) => inner)
      return [
        ...more.map((one) => set('one more of', leaf, [value, one].flat(), shown)),
        ...(Array.isArray(value) ? [set('a member twice in', leaf, [...value, value.at(-1)])] : []),
        { ...set('no', leaf, undefined), alter: (all: Fields) => withoutLeaf(all, path) },
        // Guard and handler may read a field from different parts: query or body.
        { ...set('a query with another', leaf, value, [other]), around: inQuery(leaf, other) },
        { ...set('a query beside another', leaf, other, [other]), around: inQuery(leaf, value) },
        ...[[value, other], [other, value], { value: other }].map((two) =>
          set('two values of', leaf, two, [other]),
        ),
        ...[[value], ...notationsOf(value), ...strangeNumbers(value), ...roundedTo(value)].map((like) =>
          set(`${JSON.stringify(like)} as`, leaf, like),
        ),
        ...(typeof value === 'string' ? capitalsOf(value) : []).map((like) => ({
          ...set(`${JSON.stringify(like)} as`, leaf, like, [like]),
          isNotation: true,
        })),
      ]
    }),
    ...inLists(action, others),
  ]
}

/** Returns a list with one other value in its last member, for each value of that member. */
function oneOfEach(
  value: unknown,
): readonly { readonly list: readonly unknown[]; readonly other: unknown }[] {
  if (!Array.isArray(value)) return []
  const fields = { last: value.at(-1) }
  return leavesOf(fields).flatMap((leaf) =>
    otherValues(leaf.value).map((other) => ({
      list: [...value.slice(0, -1), withLeaf(fields, leaf.path, other).last],
      other,
    })),
  )
}

/** Returns lists of the approved action and another one, for a JSON body. A handler may do each of a list. */
function inLists({ type = 'json' }: RehearsalAction, others: readonly Leaf[]): readonly Difference[] {
  if (type !== 'json' || others.length === 0) return []
  const other = (fields: Fields) =>
    others.reduce((all, { path, value }) => withLeaf(all, path, value), fields)
  const inList = (what: string, listOf: (fields: Fields) => readonly Fields[]): Difference => ({
    what,
    alter: (fields) => fields,
    around: (request, fields) => ({ ...request, body: listOf(fields) }),
    // Another part of the action may have the same truth value.
    values: others.map(({ value }) => value).filter((value) => typeof value !== 'boolean'),
    isLike: true,
  })
  return [
    inList('another action after it in a list', (fields) => [fields, other(fields)]),
    inList('another action before it in a list', (fields) => [other(fields), fields]),
  ]
}

/** Returns other numbers that `parseInt` reads as this number. Excludes 1, the length of a growing list. */
const strangeNumbers = (value: unknown): readonly string[] =>
  /^([2-9]|[1-9]\d+)$/.test(String(value)) ? [`${value}e3`, `${value}.9`] : []

/** Returns a number that rounds to this number. */
const roundedTo = (value: unknown): readonly unknown[] =>
  typeof value === 'number' ? [value + 0.4] : /^\d+$/.test(String(value)) ? [`${value}.4`] : []

/** Gets the code for the original action, and then sends the action with differences. */
async function changeAfter(
  stage: Stage,
  action: RehearsalAction,
  first: Visit,
  differences: readonly Difference[],
) {
  const { effects } = stage
  const { effect } = await effects.knownOf(action)
  let visit = first
  let covered = await mustAsk(stage, visit, action)
  /** Whether a refusal of the app, by its status, uses up the code: behind a guard with `once`. */
  const usesCode = new Map<string, boolean>()
  /** Fields of which the code covers at least a part. */
  const partly = new Set<string>()
  async function askAgain(): Promise<void> {
    visit = await stage.signedIn()
    covered = await mustAsk(stage, visit, action)
  }
  async function isStillCovered(): Promise<boolean> {
    const meant = requestWith(action, visit.person, await fieldsAgain(action, visit, covered))
    return (await effects.attempt(action, visit, meant)).isDone
  }
  for (const at of differences.keys()) {
    // The fields of another person have other differences.
    const difference = differencesOf(action, covered)[at]
    if (difference === undefined) break
    const { what, alter, around = (request) => request, values, approved, isNotation = false } = difference
    const fields = await fieldsAgain(action, visit, covered)
    const request = around(requestWith(action, visit.person, alter(fields)), fields)
    const { response, isDone, change } = await effects.attempt(action, visit, request)
    const isShown = showsValue(change, values)
    // Another value may change the state in another direction. A refusal with a requirement changed nothing.
    const isAsked = requirementIn(response) !== undefined
    const isOther = !isAsked && (isShown || touches(change, effect))
    if (!isDone && !isOther) {
      if (isAsked && approved !== undefined) partly.add(approved.path.join())
      const refusal = `${response.status} ${codeOf(response)}`
      if (isAsked || usesCode.get(refusal) === false) continue
      if (!usesCode.has(refusal)) usesCode.set(refusal, !(await isStillCovered()))
      await askAgain()
      continue
    }
    // An app may cut a text, once for guard and handler.
    const isCut = approved !== undefined && partly.has(approved.path.join())
    const isLike = difference.isLike || (isCut && showsOnly(change, effect, approved.value, values[0]))
    const isWrong = isNotation ? isShown && !(await isOwnNotation(stage, action, at)) : isShown
    // A small amount may need no code.
    const isOwn = isExactly(change, effect) || isThousandth(change, effect)
    if (!isLike || isWrong || !isOwn) fell(response, `${told(response)} with ${what}`)
    // The variant was equivalent, and the code is used.
    await askAgain()
  }
  const meant = requestWith(action, visit.person, await fieldsAgain(action, visit, covered))
  const { response, isDone } = await effects.attempt(action, visit, meant)
  if (!isDone) throw refused(response, `"${action.name}" was then not done as confirmed`)
  const other = differences.find(({ isLike }) => !isLike)
  if (other === undefined) return
  // An app may accept the code for all later requests.
  const later = await fieldsAgain(action, visit, covered)
  const changed = requestWith(action, visit.person, other.alter(later))
  const next = await effects.attempt(action, visit, changed)
  if (next.isDone) {
    const seen = `${told(next.response)} with ${other.what}, after the confirmed action`
    throw new Fell(seen, next.response.request, undefined, `${skippedGuard}; otherwise ${changedFields.fix}`)
  }
}

const skippedGuard =
  'let no flag of your app skip the guard after an earlier success, and add once: true to it'

/** Returns whether the app itself writes an approved value as this difference does. */
async function isOwnNotation(stage: Stage, action: RehearsalAction, at: number): Promise<boolean> {
  const visit = await stage.signedIn()
  const covered = await mustAsk(stage, visit, action)
  const meant = requestWith(action, visit.person, await fieldsAgain(action, visit, covered))
  const { change } = await stage.effects.attempt(action, visit, meant)
  return showsValue(change, differencesOf(action, covered)[at]?.values ?? [])
}

/** Gets the code for a number in an unusual notation, and checks whether the handler reads another number. */
async function confirmAnother(stage: Stage, action: RehearsalAction, { path, value }: Leaf): Promise<void> {
  const { effects } = stage
  const { effect } = await effects.knownOf(action)
  if (!sumsUp(effect, Number(value))) return
  for (const strange of strangeNumbers(value)) {
    const visit = await stage.signedIn()
    const fields = await fieldsOf(action, visit)
    const meant = requestWith(action, visit.person, fields)
    const confirmed = requestWith(action, visit.person, withLeaf(fields, path, strange))
    if ((await effects.approve(visit, confirmed)) === undefined) continue
    // If the code also covers the plain number, guard and handler read the number alike.
    if ((await effects.attempt(action, visit, meant)).isDone) continue
    const { response, isDone, change } = await effects.attempt(action, visit, confirmed)
    if (isDone && isExactly(change, effect)) {
      fell(response, `the code was for "${path.join('.')}" ${strange}, and ${value} was done`)
    }
  }
}
