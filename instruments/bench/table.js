const columns = ['bar', 'what', 'should be', 'stretch', 'median', 'spread', 'met']

/** One row: what was measured beside what it should be, and beside what would be better still. */
export function verdict(bar, { median, lowest, highest }) {
  const { unit, atMost, atLeast, stretch } = bar
  const inUnit = (text) => (unit === undefined ? `${text}x` : `${text} ${unit}`).trim()
  const sign = atLeast === undefined ? '<=' : '>='
  const limit = atMost ?? atLeast
  return [
    String(bar.bar),
    bar.what,
    limit === undefined ? '' : `${sign} ${inUnit(limit)}`,
    stretch === undefined ? '' : `${sign} ${inUnit(stretch)}`,
    inUnit(figure(median)),
    lowest === highest ? '' : `${figure(lowest)} to ${figure(highest)}`,
    met(median, limit, stretch, atLeast !== undefined),
  ]
}

function met(median, limit, stretch, isFloor) {
  const holds = (bound) => (isFloor ? median >= bound : median <= bound)
  if (limit === undefined) return ''
  if (!holds(limit)) return 'no'
  return stretch !== undefined && holds(stretch) ? 'stretch' : 'yes'
}

export function print(rows) {
  const widths = columns.map((_, column) => Math.max(...[columns, ...rows].map((row) => row[column].length)))
  const line = (cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd()
  console.log(line(columns))
  console.log(widths.map((width) => '-'.repeat(width)).join('  '))
  for (const row of rows) console.log(line(row))
}

/** Three figures are more than can be measured. */
function figure(value) {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}
