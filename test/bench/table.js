const columns = ['bar', 'what', 'should be', 'median', 'spread', 'met']

/** One row: what was measured beside what it should be. */
export function verdict({ bar, what, atMost, atLeast, unit }, { median, lowest, highest }) {
  const inUnit = (text) => (unit === undefined ? `${text}x` : `${text} ${unit}`).trim()
  const met = atMost === undefined ? median >= atLeast : median <= atMost
  return [
    String(bar),
    what,
    atMost === undefined ? `>= ${inUnit(atLeast)}` : `<= ${inUnit(atMost)}`,
    inUnit(figure(median)),
    lowest === highest ? '' : `${figure(lowest)} to ${figure(highest)}`,
    met ? 'yes' : 'no',
  ]
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
