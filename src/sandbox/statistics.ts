import type { premiumCategories, statisticCategories } from '../provider/operations.js'
import type { Click } from './click.js'

export type Category = (typeof statisticCategories)[number] | (typeof premiumCategories)[number]

/** One row of the statistics under the name of its category. */
export type Metric = { readonly [Name in Category]?: Readonly<Record<string, string | number>> }

interface Grouping {
  /** What a row is about; clicks with equal rows are counted together. */
  readonly row: (click: Click) => Readonly<Record<string, string>> & { readonly property: string }
  readonly percent?: true
  /** In order of time; the others begin with the most clicks. */
  readonly byTime?: true
}

const dayOf = ({ at }: Click) => new Date(at).toISOString().slice(0, 10)
const hourOf = ({ at }: Click) => new Date(at).toISOString().slice(11, 13)

/** How each category groups clicks: the members are those of the specification. Days and hours are UTC. */
const groupings: Readonly<Record<Category, Grouping>> = {
  date: { byTime: true, row: (click) => ({ property: dayOf(click) }) },
  hour: { byTime: true, row: (click) => ({ property: hourOf(click), date: dayOf(click) }) },
  country: { row: ({ countryIsoCode }) => ({ property: countryIsoCode }) },
  region: { row: ({ region }) => ({ property: region }) },
  city: {
    percent: true,
    row: ({ city, countryIsoCode, region }) => ({ property: city, countryIsoCode, region }),
  },
  device: { row: ({ device }) => ({ property: device }) },
  brand: { percent: true, row: ({ brand }) => ({ property: brand }) },
  model: { percent: true, row: ({ model }) => ({ property: model }) },
  operatingSystem: { row: ({ operatingSystem }) => ({ property: operatingSystem }) },
  browser: { row: ({ browser }) => ({ property: browser }) },
  lang: { row: ({ lang }) => ({ property: lang }) },
}

/** The rows of one category over these clicks. */
export function tally(category: Category, clicks: readonly Click[]): readonly Metric[] {
  const { row, percent, byTime } = groupings[category]
  const counted = new Map<string, { readonly row: ReturnType<Grouping['row']>; clicks: number }>()
  for (const click of clicks) {
    const about = row(click)
    const key = JSON.stringify(about)
    const known = counted.get(key)
    if (known === undefined) counted.set(key, { row: about, clicks: 1 })
    else known.clicks += 1
  }
  // Clicks come in order of time already, and the sort is stable.
  const rows = [...counted.values()]
  if (!byTime) rows.sort((one, other) => other.clicks - one.clicks)
  return rows.map(({ row: { property, ...rest }, clicks: count }) => ({
    [category]: {
      property,
      clicks: count,
      ...rest,
      ...(percent && { percent: Math.round((count / clicks.length) * 10_000) / 100 }),
    },
  }))
}
