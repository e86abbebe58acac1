import { type Limits, limitTable } from '../challenge/limits.js'
import { type Checks, object, oneOf, optionError } from '../lib/options.js'
import { hourMs, minuteMs, secondMs } from '../lib/time.js'
import type { Store } from '../store/store.js'

/** Upper bounds of a stricter set: narrower values are taken, wider ones are a mistake. */
export const profiles = {
  /** Commission Delegated Regulation (EU) 2018/389 (PSD2 RTS), article 4(3). */
  psd2: { attemptsPerChallenge: 5, failuresBeforeLock: 5, maxAgeMs: 5 * minuteMs },
} as const satisfies Record<string, Partial<Limits>>

/** The option `limits`: single limits, or a whole stricter set. */
export type LimitsOption = Partial<Limits> & { readonly profile?: keyof typeof profiles }

/** One member of each limit. */
const each = <Member extends 'byDefault' | 'check'>(member: Member) =>
  Object.fromEntries(Object.entries(limitTable).map(([name, limit]) => [name, limit[member]]))

/** What holds unless the host says otherwise. */
export const defaultLimits = each('byDefault') as unknown as Limits

export const limitsOption = object({
  profile: oneOf(...Object.keys(profiles)),
  ...(each('check') as unknown as Checks<Limits>),
})

/** The limits in force. Lists are copied. */
export function resolveLimits(given: LimitsOption, store?: Pick<Store, 'timeoutMs'>): Limits {
  const { timeoutMs: storeTimeoutMs = defaultLimits.storeTimeoutMs } = store ?? {}
  const bounds: Partial<Limits> = given.profile === undefined ? {} : profiles[given.profile]
  const limits = Object.entries({ ...defaultLimits, storeTimeoutMs, ...bounds }).map(([name, usual]) => {
    const value = given[name as keyof Limits] ?? usual
    const max = bounds[name as keyof Limits]
    if (max !== undefined && Number(value) > Number(max)) {
      throw optionError(`twoFactor: limits.${name} must be ${max} or less with the profile ${given.profile}`)
    }
    return [name, Array.isArray(value) ? [...value] : value]
  })
  return Object.fromEntries(limits)
}

/** The limits in force, as a Markdown table for the operator's documentation. */
export function describeLimits(limits: Limits): string {
  const rows = Object.entries(limits).map(([name, value]) => `| \`${name}\` | ${inWords(name, value)} |`)
  return ['| limit | value |', '| --- | --- |', ...rows].join('\n')
}

export function inWords(name: string, value: Limits[keyof Limits]): string {
  if (value === false) return 'off'
  if (typeof value === 'function') return 'by a function of the app'
  if (typeof value === 'object') return value.map((one) => inWords(name, one)).join(', ')
  return name.endsWith('Ms') ? duration(value) : String(value)
}

function duration(ms: number): string {
  const units = [
    [hourMs, 'h'],
    [minuteMs, 'min'],
    [secondMs, 's'],
  ] as const
  const [size, unit] = units.find(([length]) => ms >= length && ms % length === 0) ?? [1, 'ms']
  return `${ms / size} ${unit}`
}
