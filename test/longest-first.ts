import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take from a quarter of a minute to more than a minute, the longest first. */
const long = [
  'browser/ways-out',
  'browser/pages',
  'challenge/model/exploration',
  'many/faults',
  'express/dialog/axe',
  'challenge/budgets/pumping',
  'many/guessing',
  'examples/demo',
  'examples/recipes',
  'browser/journeys',
  'browser/inbox',
  'express/code-provider-verdicts',
  'express/bursts',
  'store/redis-cluster',
  'store/redis-store',
  'store/redis-faults',
  'challenge/lockout',
  'browser/inbox-looks',
  'express/dialog/fetch-with-code',
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
