import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, or wait longest: first of their project, so that the others fill the time. */
const long = [
  'tools/testing/rehearsed-apps',
  'tools/testing/rehearsed-mistakes',
  'browser/walk',
  'browser/chromium',
  'browser/firefox',
  'browser/webkit',
  'tools/cli/calibrate',
  'examples/demo',
  'challenge/rate-limits/pumping',
  'examples/recipes',
  'tools/cli/doctor',
  'express/dialog/dialog',
  'browser/inbox',
  'store/redis-clients',
  'express/dialog/fetch-with-code',
  'store/redis-cluster',
  'browser/keyboard',
  'challenge/adversary',
  'many/faults',
  'many/guessing',
]

const rank = ({ moduleId }: TestSpecification): number => {
  const place = long.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return place === -1 ? long.length : place
}

/** A worker goes on only while the next file is of the same project. */
const projects = ['built', 'full', 'full-built', 'express-4', 'usual']

const turn = ({ project }: TestSpecification): number => projects.indexOf(project.name)

/**
 * Project after project, and of each the longest files first, so that none of them is left to one worker at the end.
 * A fresh clone has no times of an earlier run to go by.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(specs)
    return usual.toSorted((a, b) => turn(a) - turn(b) || rank(a) - rank(b))
  }
}
