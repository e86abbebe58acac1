export const cpuMicros = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** CPU microseconds of one call of many in a row, which may give promises. */
export function cpuOf(count, call) {
  return secondTime(count, async () => {
    for (let index = 0; index < count; index += 1) {
      const pending = call(index)
      if (pending instanceof Promise) await pending
    }
  })
}

/** The same with so many of them at a time under way. */
export function cpuOfConcurrent(count, atOnce, call) {
  return secondTime(count, async () => {
    let left = count
    const one = async () => {
      while (left-- > 0) await call()
    }
    await Promise.all(Array.from({ length: atOnce }, one))
  })
}

/** The first time warms up. */
async function secondTime(count, calls) {
  await calls()
  const before = cpuMicros()
  await calls()
  return (cpuMicros() - before) / count
}
