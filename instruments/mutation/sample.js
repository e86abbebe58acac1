// A checker of Stryker that lets through every nth mutant of each file: the same ones in each run.

function sample() {
  const every = Number(process.env.MUTATION_EVERY)
  return {
    init: async () => {},
    // All at once, so that one call sees every mutant of a file.
    group: async (mutants) => [mutants.map(({ id }) => id)],
    check: async (mutants) => {
      const seen = new Map()
      const inOrder = [...mutants].sort((a, b) => Number(a.id) - Number(b.id))
      const verdicts = inOrder.map(({ id, fileName }) => {
        const nth = seen.get(fileName) ?? 0
        seen.set(fileName, nth + 1)
        return [
          id,
          nth % every === 0 ? { status: 'passed' } : { status: 'compileError', reason: 'not sampled' },
        ]
      })
      return Object.fromEntries(verdicts)
    },
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', factory: sample }]
