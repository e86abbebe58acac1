import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('fresh.js', import.meta.url))

/** The figure that a function of the module gives in a fresh process. */
export async function figure(module, name, input = {}, flags) {
  const child = launch(module, name, input, flags)
  try {
    return await answer(child)
  } finally {
    child.kill()
  }
}

/** CPU microseconds per unit of the load on a server, which a function of the module starts in a fresh process. */
export async function cpuPerUnit(module, name, input, { warmUp, units, start }) {
  const child = launch(module, name, input)
  try {
    const run = start(await answer(child))
    const cpu = () => {
      child.send('cpu')
      return answer(child)
    }
    await run(warmUp)
    const before = await cpu()
    await run(units)
    return ((await cpu()) - before) / units
  } finally {
    child.kill()
  }
}

function launch(module, name, input, flags = []) {
  return fork(program, [module, name, JSON.stringify(input)], { execArgv: ['--expose-gc', ...flags] })
}

async function answer(child) {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`a side of the comparison ended with ${code}`)
  })
  const [message] = await Promise.race([once(child, 'message'), exited])
  return message
}
