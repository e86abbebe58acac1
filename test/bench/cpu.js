export const cpuMicros = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** CPU microseconds of one call of many in a row, which may give promises. */
export async function cpuOf(count, call) {
  const round = async (calls) => {
    for (let index = 0; index < calls; index += 1) {
      const pending = call(index)
      if (pending instanceof Promise) await pending
    }
  }
  await round(count)
  const before = cpuMicros()
  await round(count)
  return (cpuMicros() - before) / count
}

/** The same with so many of them at a time under way. */
export async function cpuOfConcurrent(count, atOnce, call) {
  const round = async (calls) => {
    let left = calls
    const one = async () => {
      while (left-- > 0) await call()
    }
    await Promise.all(Array.from({ length: atOnce }, one))
  }
  await round(count)
  const before = cpuMicros()
  await round(count)
  return (cpuMicros() - before) / count
}
