import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { blocksOf, path, read } from '../documents.js'
import { freePort } from '../free-port.js'
import { observe, run } from '../tools/cli/program.js'

const document = read('docs/rehearsal.md')

/** The code block of a document that follows a mark. */
const marked = (text: string, mark: string) =>
  new RegExp(`<!-- ${mark} -->\n\`\`\`\\w+\n(.*?)\`\`\``, 's').exec(text)?.[1] ?? ''

/** Rows of a result as the command prints them, by their code. */
const rowsOf = (text: string) =>
  new Map(
    [...text.matchAll(/^(held|FELL|--) +([\w-]+): .*\n(?: {7}.*\n)*/gm)].map(([row, , code = '']) => [
      code,
      row,
    ]),
  )

it('the first rehearsal prints the rows that the document shows, for the first app without sameSite', async () => {
  const [port, sandbox] = [await freePort(), await freePort()]
  const folder = path('build/first-rehearsal/')
  mkdirSync(folder, { recursive: true })
  const app = marked(read('README.md'), 'quick start')
    .replace(/^const users = .*$/m, (line) => `${line}\n${marked(document, 'rehearsal: people')}`)
    .replace(", cookie: { sameSite: 'lax' }", '')
    .replace('127.0.0.1:4010', `127.0.0.1:${sandbox}`)
    .replaceAll('3000', String(port))
  writeFileSync(`${folder}app.mjs`, app)
  writeFileSync(`${folder}rehearsal.mjs`, blocksOf(document, 'js')[1] ?? '')
  const running = observe(process.execPath, [`${folder}app.mjs`], {})
  onTestFinished(async () => {
    running.interrupt()
    await running.exitCode
    rmSync(folder, { recursive: true })
  })
  await running.saying(/localhost:\d+/)

  const more = ['--plan', `${folder}rehearsal.mjs`, '--sandbox', String(sandbox)]
  const rehearsal = run(['rehearse', `http://localhost:${port}`, ...more])
  expect(await rehearsal.exitCode).toBe(1)
  const printed = rowsOf(rehearsal.out().replaceAll(String(port), '3000'))
  const shown = marked(document, 'rehearsal: result')
  expect([...rowsOf(shown).keys()]).toEqual(['sign-in', 'cookies'])
  for (const [code, row] of rowsOf(shown)) expect(row).toBe(printed.get(code))
  const sums = /\d+ held, \d+ fell, \d+ not tried/
  expect(sums.exec(rehearsal.out())?.[0]).toBe(sums.exec(shown)?.[0])
})
