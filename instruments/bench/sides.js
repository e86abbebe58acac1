import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('fresh.js', import.meta.url))

/** What a function of the module gives in a fresh process. */
export async function figure(module, name, input = {}, flags) {
  const child = launch(module, name, input, flags)
  try {
    return await answer(child)
  } finally {
    child.kill()
  }
}

/**
 * CPU microseconds per unit of the load on a server, which a function of the module starts in a fresh process:
 * in several of them the same load on each, all at once.
 */
async function cpuPerUnit(module, name, input, { warmUp, units, start }, processes = 1) {
  const children = Array.from({ length: processes }, () => launch(module, name, input))
  try {
    const ports = await Promise.all(children.map(answer))
    const runs = ports.map((port, process) => start(port, process))
    const all = (count) => Promise.all(runs.map((run) => run(count)))
    await all(warmUp)
    const before = await cpuOfAll(children)
    await all(units)
    return ((await cpuOfAll(children)) - before) / (units * processes)
  } finally {
    for (const child of children) child.kill()
  }
}

const loginApp = new URL('login-app.js', import.meta.url).href

/** The same of one of the apps with a login. */
export const loginCpu = (name, input, load, processes) => cpuPerUnit(loginApp, name, input, load, processes)

/** CPU microseconds of a fresh process until its server has served what is asked: from its start, and since it listens. */
export async function cpuUntil(module, name, input, ask) {
  const child = launch(module, name, input)
  try {
    const port = await answer(child)
    const listening = await cpuOf(child)
    await ask(port)
    const all = await cpuOf(child)
    return { all, sinceListening: all - listening }
  } finally {
    child.kill()
  }
}

function launch(module, name, input, flags = []) {
  return fork(program, [module, name, JSON.stringify(input)], { execArgv: ['--expose-gc', ...flags] })
}

async function cpuOfAll(children) {
  const all = await Promise.all(children.map(cpuOf))
  return all.reduce((sum, cpu) => sum + cpu, 0)
}

function cpuOf(child) {
  child.send('cpu')
  return answer(child)
}

async function answer(child) {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`a side of the comparison ended with ${code}`)
  })
  const [message] = await Promise.race([once(child, 'message'), exited])
  return message
}
