import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take from a quarter of a minute to more than a minute, the longest first. */
const long = [
  'browser/walk',
  'challenge/budgets/pumping',
  'many/guessing',
  'many/faults',
  'examples/recipes',
  'examples/demo',
  'browser/journeys',
  'browser/inbox',
  'browser/inbox-looks',
  'express/bursts',
  'cli/calibrate',
  'cli/doctor',
  'express/dialog/fetch-with-code',
  'express/recovery-bursts',
  'challenge/lockout',
  'store/redis-cluster',
  'store/redis-store',
  'store/redis-faults',
  'many/balance',
  'many/cluster-faults',
]

const rank = ({ moduleId }: TestSpecification): number => {
  const place = long.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return place === -1 ? long.length : place
}

/**
 * The longest files begin first, so that none of them is left to one worker at the end. A fresh clone has no
 * times of an earlier run to go by. The rest stay as they come: projects one after the other.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(specs)
    return usual.toSorted((a, b) => rank(a) - rank(b))
  }
}
