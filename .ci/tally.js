// What was red in the runs given as arguments, for whoever sees only the end of their output, and in the last
// line how many tests passed, failed and were skipped. Of each run: the path of its output, beside its report.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { argv } from 'node:process'
import { stripVTControlCharacters } from 'node:util'

const sum = { passed: 0, failed: 0, skipped: 0 }
for (const run of argv.slice(2)) {
  const report = JSON.parse(readFileSync(`${run}.json`, 'utf8'))
  sum.passed += report.numPassedTests
  sum.failed += report.numFailedTests
  sum.skipped += report.numPendingTests + report.numTodoTests
  for (const { name, message, assertionResults } of report.testResults) {
    const file = relative(process.cwd(), name)
    if (message !== '') tell(file, message)
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (status === 'failed') tell(`${file} > ${fullName}`, failureMessages.join('\n'))
    }
  }

  // Neither is the failure of a test: a threshold that coverage misses, and an error thrown outside of tests.
  const output = stripVTControlCharacters(readFileSync(run, 'utf8')).split('\n')
  for (const [index, line] of output.entries()) {
    if (line.startsWith('ERROR: Coverage')) console.log(`red: ${line.slice('ERROR: '.length)}`)
    if (/^⎯+ (Uncaught|Unhandled) (Exception|Rejection)/.test(line))
      tell(line.replaceAll('⎯', '').trim(), output.slice(index + 1).join('\n'))
  }
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`)

function tell(title, message) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, 8)
  console.log([`red: ${title}`, ...lines].join('\n    '))
}
