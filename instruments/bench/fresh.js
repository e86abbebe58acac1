// One side of a comparison in a process of its own: `node fresh.js <module> <name> <input as JSON>`.
// What the named function of the module gives goes to the parent: a figure, or the port of a server,
// which then goes on serving and tells its CPU time when asked.
import { argv } from 'node:process'
import { cpuMicros } from './cpu.js'

const [, , module, name, input] = argv
const { [name]: side } = await import(module)

process.on('message', () => process.send(cpuMicros()))
// Nobody is left to ask it anything.
process.on('disconnect', () => process.exit())
process.send(await side(JSON.parse(input)))
