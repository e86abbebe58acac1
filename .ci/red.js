// What was red in the run whose output is given as the argument, for whoever sees only the end of it.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const { testResults } = JSON.parse(readFileSync('coverage/tests.json', 'utf8'))
for (const { name, message, assertionResults } of testResults) {
  const file = relative(process.cwd(), name)
  if (message !== '') tell(file, message)
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status === 'failed') tell(`${file} > ${fullName}`, failureMessages.join('\n'))
  }
}

// Neither is the failure of a test: a threshold that coverage misses, and an error thrown outside of tests.
const output = stripVTControlCharacters(readFileSync(process.argv[2], 'utf8')).split('\n')
for (const [index, line] of output.entries()) {
  if (line.startsWith('ERROR: Coverage')) console.log(`red: ${line.slice('ERROR: '.length)}`)
  if (/^⎯+ (Uncaught|Unhandled) (Exception|Rejection)/.test(line))
    tell(line.replaceAll('⎯', '').trim(), output.slice(index + 1).join('\n'))
}

function tell(title, message) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, 8)
  console.log([`red: ${title}`, ...lines].join('\n    '))
}
